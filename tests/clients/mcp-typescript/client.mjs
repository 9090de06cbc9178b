// Learns, recalls, corrects and explains through an official client, and prints what came back as one line of JSON.
// node client.mjs SDK MODE TARGET...   SDK: v1 or v2; MODE: legacy, auto or a revision; TARGET: a URL or a command
const [sdk, mode, ...target] = process.argv.slice(2);
const isUrl = target[0].startsWith("http");

async function connect() {
  const stdio = { command: target[0], args: target.slice(1), env: process.env };
  if (sdk === "v1") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const client = new Client({ name: "tests", version: "1" });
    await client.connect(isUrl ? new StreamableHTTPClientTransport(new URL(target[0])) : new StdioClientTransport(stdio));
    return [client, "handshake"];
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const negotiation = ["legacy", "auto"].includes(mode) ? mode : { pin: mode };
  const client = new Client({ name: "tests", version: "1" }, { versionNegotiation: { mode: negotiation } });
  await client.connect(isUrl ? new StreamableHTTPClientTransport(new URL(target[0])) : new StdioClientTransport(stdio));
  return [client, client.getNegotiatedProtocolVersion()];
}

const [client, revision] = await connect();
const call = (name, args) => client.callTool({ name, arguments: args });
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const learned = await call("memory_learn", { content: "The shop opens at nine", source: "door.txt:1" });
const memory = learned.structuredContent.memory.id;
const recalled = await call("memory_recall", { context: "when does the shop open" });
const corrected = await call("memory_correct", { memory, content: "The shop opens at ten", reason: "winter hours" });
const explained = await call("memory_explain", { memory });
const mistaken = await call("memory_explain", { memory: "nothing" });
const context = await client.readResource({ uri: "heldtrue://context?task=open%20the%20shop" });
const prompt = await client.getPrompt({ name: "check_claim", arguments: { claim: "The shop opens at ten" } });
console.log(
  JSON.stringify({
    revision,
    server: client.getServerVersion().name,
    tools,
    learned: learned.structuredContent.outcome,
    recalled: recalled.structuredContent.results.map((one) => one.memory.content),
    corrected: corrected.structuredContent.outcome,
    explained: explained.structuredContent.story,
    mistaken: [mistaken.isError, mistaken.content[0].text],
    context: context.contents[0].text,
    prompt: prompt.messages[0].content.text,
  }),
);
await client.close();
