import { HeldtrueError, readProblem, timedOut, unreachable, unreadable } from "./errors.js";
import { Following } from "./following.js";
import { Capabilities, EFFECTS } from "./generated.js";
import type { AnswerOf, Effect, Event, Given, OperationName } from "./generated.js";
import type { EventsOptions, HeldtrueOptions } from "./options.js";
import { Patience } from "./patience.js";

const TIMEOUT_MS = 60_000;

/** A response with its complete body. */
interface Arrived {
  response: Response;
  body: string;
}

/** A space on a server: each capability is a method, `call` invokes one by name, `events` follows events. */
export class Heldtrue extends Capabilities {
  readonly url: string;
  readonly #headers: Headers;
  readonly #timeoutMs: number;
  readonly #fetch: typeof globalThis.fetch;

  constructor({ url, token, project, repo, session, timeoutMs, fetch }: HeldtrueOptions) {
    super();
    this.url = readUrl(url);
    this.#headers = new Headers({ authorization: `Bearer ${token}` });
    for (const [name, value] of Object.entries({ project, repo, session })) {
      if (value !== undefined) this.#headers.set(`heldtrue-${name}`, value);
    }
    this.#timeoutMs = timeoutMs ?? TIMEOUT_MS;
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  /**
   * Invoke a capability by name: `client.call("recall", { context: "..." })`.
   *
   * A write has an idempotency key, so that it is carried out only once, even if it is sent again after a lost response.
   */
  override async call<Name extends OperationName>(name: Name, ...given: Given<Name>): Promise<AnswerOf<Name>> {
    const [request, { signal, timeoutMs = this.#timeoutMs } = {}] = given;
    const effect = effectOf(name);
    const headers = this.#with({ "content-type": "application/json", accept: "application/json" });
    const { idempotency_key: key, ...sent } = { idempotency_key: null, ...request };
    if (effect === "write" && key == null) headers.set("idempotency-key", newKey());
    const body = JSON.stringify(key == null ? sent : { ...sent, idempotency_key: key });

    const patience = new Patience(signal);
    try {
      patience.allow(timeoutMs, timedOut);
      const init = { method: "POST", headers, body, signal: patience.signal };
      const arrived = await this.#ask(`/v1/memory.${name}`, init, effect !== "admin");
      return readAnswer(arrived) as AnswerOf<Name>;
    } finally {
      patience.end();
    }
  }

  /**
   * Follow events as they happen. A lost connection is resumed without losing or repeating events.
   *
   * The loop ends when the signal fires. It throws if the first connection fails or if the server refuses it.
   */
  events(options: EventsOptions = {}): AsyncGenerator<Event, void, undefined> {
    const query = new URLSearchParams((options.names ?? []).map((name) => ["names", name]));
    const path = `/v1/events?${query}`;
    const open = async (after: string | undefined, signal: AbortSignal): Promise<Response> => {
      const headers = this.#with({ accept: "text/event-stream" });
      if (after !== undefined) headers.set("last-event-id", after);
      return await this.#send(path, { headers, signal }, async (response) => {
        if (response.ok) return response;
        throw readProblem(response, await response.text());
      });
    };
    return new Following(open, this.url, options).events();
  }

  /** Send a request, and retry once after a lost connection; a repeated request changes nothing or has a key. */
  async #ask(path: string, init: RequestInit, mayRepeat: boolean): Promise<Arrived> {
    const arrive = async (response: Response): Promise<Arrived> => ({ response, body: await response.text() });
    try {
      return await this.#send(path, init, arrive);
    } catch (problem) {
      if (init.signal?.aborted || !mayRepeat) throw problem;
      return await this.#send(path, init, arrive);
    }
  }

  /** Send a request; every network failure is one error, and an abort is its reason. */
  async #send<Answer>(
    path: string,
    init: RequestInit,
    read: (response: Response) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      // A followed redirect would send the request elsewhere, or turn a write into a read.
      return await read(await this.#fetch(this.url + path, { ...init, redirect: "manual" }));
    } catch (problem) {
      if (init.signal?.aborted) throw init.signal.reason;
      throw problem instanceof HeldtrueError ? problem : unreachable(this.url, problem);
    }
  }

  #with(more: Record<string, string>): Headers {
    const headers = new Headers(this.#headers);
    for (const [name, value] of Object.entries(more)) headers.set(name, value);
    return headers;
  }
}

function readUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed !== null && /^https?:$/.test(parsed.protocol)) return (parsed.origin + parsed.pathname).replace(/\/+$/, "");
  const told = { code: "invalid_input", field: "url", hint: "for example http://127.0.0.1:7373" };
  throw new HeldtrueError(`${JSON.stringify(url)} is not a server URL`, told);
}

function effectOf(name: OperationName): Effect {
  if (Object.hasOwn(EFFECTS, name)) return EFFECTS[name];
  const told = { code: "invalid_input", field: "name", hint: "see /openapi.json on the server" };
  throw new HeldtrueError(`no capability named ${JSON.stringify(name)}`, told);
}

function readAnswer({ response, body }: Arrived): unknown {
  if (!response.ok) throw readProblem(response, body);
  try {
    return JSON.parse(body);
  } catch {
    throw unreadable(response.status);
  }
}

/** A key of 128 random bits. Browsers have `crypto.randomUUID` only on secure pages. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
