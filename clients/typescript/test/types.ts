// What the compiler accepts and what it refuses. Never run: a line that is expected to be wrong and is not fails the check.

import { type Event, Heldtrue, HeldtrueError, type MemoryView, type RecallAnswer } from "heldtrue-client";

export async function accepts(client: Heldtrue): Promise<void> {
  const kinds = ["decision", "lesson"] as const;
  const answer: RecallAnswer = await client.call("recall", { context: "ports", kinds, limit: 3 });
  const same: RecallAnswer = await client.recall({ context: "ports", kinds }, { timeoutMs: 1000 });
  const first: MemoryView | null | undefined = answer.results[0]?.memory ?? same.results[0]?.memory;
  const { notes } = await client.learn({ content: first?.content ?? "nothing", topic: null });
  const joined: string = notes.join();
  await client.list();
  await client.call("list");
  await client.agents({}, { signal: new AbortController().signal });
  await client.captureSession({ session: joined, messages: [{ role: "user", content: "hello" }] });
  await client.call("events", { after: "0.0" });
  for await (const event of client.events({ names: ["memory:write"] })) {
    const seen: Event = event;
    if (seen.event === "memory:search") return;
  }
}

export async function refuses(client: Heldtrue): Promise<void> {
  // @ts-expect-error: there is no such capability
  await client.call("remember", { content: "x" });
  // @ts-expect-error: context is needed
  await client.call("recall");
  // @ts-expect-error: context is needed
  await client.recall({ limit: 3 });
  // @ts-expect-error: limit is a number
  await client.recall({ context: "x", limit: "3" });
  // @ts-expect-error: there is no such argument
  await client.recall({ context: "x", limits: 3 });
  // @ts-expect-error: there is no such argument
  await client.call("recall", { context: "x", limits: 3 });
  // @ts-expect-error: it takes no argument
  await client.agents({ name: "x" });
  // @ts-expect-error: there is no such kind
  await client.learn({ content: "x", kind: "rumour" });
  // @ts-expect-error: there is no such outcome
  if ((await client.learn({ content: "x" })).outcome === "forgotten") return;
  // @ts-expect-error: there is no such status
  if ((await client.get({ memory: "x" })).memory.status === "gone") return;
  // @ts-expect-error: a memory must not be null
  await client.explain({ memory: null });
  // @ts-expect-error: there is no such option
  await client.list({}, { timeout: 3 });
  // @ts-expect-error: an answer has no such field
  (await client.recall({ context: "x" })).hits;
  // @ts-expect-error: there may be no result
  (await client.recall({ context: "x" })).results[0].score;
  // @ts-expect-error: there is no such event
  client.events({ names: ["memory:forget"] });
  // @ts-expect-error: a token is needed
  new Heldtrue({ url: "http://127.0.0.1:7373" });
  // @ts-expect-error: the status of an error may be unknown
  new HeldtrueError("x", { code: "x" }).status.toFixed();
}
