// Uses a running server as a program would, and prints what came of it as one line of JSON.
// node live.js URL TOKEN

import { type Event, Heldtrue, HeldtrueError } from "heldtrue-client";

const [url = "", token = ""] = process.argv.slice(2);
const client = new Heldtrue({ url, token });

/** How a call fails. */
async function failure(call: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await call;
  } catch (problem) {
    if (!(problem instanceof HeldtrueError)) return { thrown: String(problem) };
    const { name, message, code, field, hint, status, retryAfter } = problem;
    return { name, message, code, field, hint, status, retryAfter };
  }
  return { thrown: null };
}

/** A line on which the first answers are lost after the server has given them; it remembers the keys it carried. */
function losing(answers: number): { fetch: typeof fetch; keys: (string | null)[] } {
  const keys: (string | null)[] = [];
  return {
    keys,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      keys.push(new Headers(init?.headers).get("idempotency-key"));
      if (keys.length > answers) return response;
      await response.text();
      throw new TypeError("the line broke");
    },
  };
}

async function remembers() {
  const learned = await client.learn({ content: "The shop opens at nine", source: "door.txt:1" });
  const memory = learned.memory?.id ?? "";
  const recalled = await client.call("recall", { context: "when does the shop open?", limit: 3 });
  const corrected = await client.correct({ memory, content: "The shop opens at ten", reason: "winter hours" });
  const explained = await client.explain({ memory: corrected.memory?.id ?? "" });
  const around = new Heldtrue({ url: `${url}/`, token, project: "billing" });
  const placed = await around.learn({ content: "Invoices are sent on Mondays" });
  return { learned, recalled, corrected, explained, scope: placed.memory?.scope };
}

async function fails() {
  const slow = await client.addAgent({ name: "slow", projects: ["billing"], writes_per_minute: 1 });
  const agent = new Heldtrue({ url, token: slow.token ?? "", project: "billing" });
  const other = await client.addAgent({ name: "other", projects: ["other"] });
  await agent.learn({ content: "The first thing", scope: "project:billing" });
  const page = new Response("<html>", { status: 502 });
  const moved = new Response("", { status: 302, headers: { location: "http://127.0.0.1:1/" } });
  return {
    missing: await failure(client.get({ memory: "01a1e2c7-9c51-753f-9497-000000000000" })),
    wrong: await failure(client.recall({ context: "x", limit: 0 })),
    stranger: await failure(new Heldtrue({ url, token: "ht_nobody" }).status()),
    forbidden: await failure(
      new Heldtrue({ url, token: other.token ?? "" }).learn({ content: "Not mine", scope: "project:billing" }),
    ),
    often: await failure(agent.learn({ content: "The second thing", scope: "project:billing" })),
    unreadable: await failure(new Heldtrue({ url, token, fetch: async () => page }).status()),
    moved: await failure(new Heldtrue({ url, token, fetch: async () => moved }).status()),
    nobody: await failure(new Heldtrue({ url: "http://127.0.0.1:1", token }).status()),
    place: await failure((async () => new Heldtrue({ url: "localhost:7373", token }))()),
    capability: await failure((client as unknown as { call(name: string): Promise<void> }).call("toString")),
  };
}

async function repeats() {
  const once = losing(1);
  const created = await new Heldtrue({ url, token, fetch: once.fetch }).learn({ content: "The kettle is blue" });
  const again = await client.learn({ content: "The kettle is blue" });
  const own = losing(1);
  const named = new Heldtrue({ url, token, fetch: own.fetch });
  const kept = await named.learn({ content: "The teapot is red", idempotency_key: "teapot ☕" });
  const read = losing(1);
  await new Heldtrue({ url, token, fetch: read.fetch }).list({});
  const twice = losing(2);
  const gaveUp = await failure(new Heldtrue({ url, token, fetch: twice.fetch }).learn({ content: "The pan is black" }));
  const admin = losing(1);
  const notRepeated = await failure(new Heldtrue({ url, token, fetch: admin.fetch }).addAgent({ name: "once" }));
  return {
    created: created.outcome,
    again: again.outcome,
    kept: kept.outcome,
    keys: { write: once.keys, own: own.keys, read: read.keys, twice: twice.keys, admin: admin.keys },
    gaveUp,
    notRepeated,
  };
}

async function givesUp() {
  const silent: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
  const mute = new Heldtrue({ url, token, fetch: silent });
  const stop = new AbortController();
  const stopped = failure(mute.status({}, { signal: stop.signal }));
  stop.abort(new Error("changed my mind"));
  return {
    late: await failure(mute.status({}, { timeoutMs: 30 })),
    stopped: await stopped,
    before: await failure(client.status({}, { signal: AbortSignal.abort(new Error("never begun")) })),
    endless: (await client.status({}, { timeoutMs: Number.POSITIVE_INFINITY })).active > 0,
  };
}

/** A stream that arrives byte by byte and then breaks. */
function trickle(text: string): Response {
  const bytes = new TextEncoder().encode(text);
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (next < bytes.length) controller.enqueue(bytes.slice(next, ++next));
      else controller.error(new TypeError("the line broke"));
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function told(id: string): string {
  return JSON.stringify({ id, event: "memory:write", at: "now", by: "someone", payload: { path: `é${id}` } });
}

/** Follows a line that breaks in every way; what it was asked for shows where it went on. */
async function follows() {
  const asked: (string | null)[] = [];
  const refusal = { type: "", title: "", status: 401, detail: "no", code: "no_credential", field: null, hint: null };
  const answers = [
    () => trickle("id: 1.0\r\nretry: 5\r\n: following\r\n\r\n"),
    () => trickle(`id: 1.5\r\n\r\nid: 2.0\r\nevent: memory:write\r\ndata: ${told("2.0")}\r\n\r\n`),
    () => trickle("id: 3.0\n: following\n\n"),
    () => trickle(`id: 3.0\ndata: ${told("3.0")}\n\nid: 4.0\ndata: ${told("4.0")}`),
    () => Promise.reject(new TypeError("the line is dead")),
    () => new Response("", { status: 503 }),
    () => trickle(`id: 4.0\rdata: ${told("4.0")}\r\r: still here\r\r`),
    () => new Response(JSON.stringify(refusal), { status: 401 }),
  ];
  const line: typeof fetch = async (_, init) => {
    asked.push(new Headers(init?.headers).get("last-event-id"));
    return (answers[asked.length - 1] ?? (() => Promise.reject(new Error("asked too often"))))();
  };
  const seen: Event[] = [];
  const end = await failure(
    (async () => {
      for await (const event of new Heldtrue({ url, token, fetch: line }).events()) seen.push(event);
    })(),
  );
  const unknown = client.events({ after: "what" });
  const nowhere = new Heldtrue({ url: "http://127.0.0.1:1", token }).events();
  return {
    asked,
    seen: seen.map((event) => event.payload["path"]),
    end,
    unknown: await failure(unknown.next()),
    nowhere: await failure(nowhere.next()),
    page: (await client.call("events", { after: "0.0", names: ["memory:write"] })).items.length > 0,
  };
}

/** Stops at the first of three events that arrive together. */
async function stops() {
  const events = ["1.0", "2.0", "3.0"].map((id) => `id: ${id}\ndata: ${told(id)}\n\n`);
  const line: typeof fetch = async () => new Response(events.join(""));
  const stop = new AbortController();
  const seen: string[] = [];
  for await (const event of new Heldtrue({ url, token, fetch: line }).events({ signal: stop.signal })) {
    seen.push(event.id);
    stop.abort();
  }
  return { seen };
}

const outcome = {
  remembers: await remembers(),
  fails: await fails(),
  repeats: await repeats(),
  givesUp: await givesUp(),
  follows: await follows(),
  stops: await stops(),
  shown: String(Object.values(client)),
};
console.log(JSON.stringify(outcome));
