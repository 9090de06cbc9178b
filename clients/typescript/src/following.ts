import { HeldtrueError, unreachable } from "./errors.js";
import type { Event } from "./generated.js";
import { Messages } from "./messages.js";
import type { EventsOptions } from "./options.js";
import { Patience, pause } from "./patience.js";

/** The server sends something at least every 15 s; after this long without data the connection is dead. */
const QUIET_MS_MAX = 45_000;
const WAIT_MS = 2_000;
const WAIT_MS_MAX = 30_000;

/** Opens a stream that continues after the event with this id. */
export type Open = (after: string | undefined, signal: AbortSignal) => Promise<Response>;

/** Iterates over events, resuming lost connections, until the signal fires. */
export class Following {
  readonly #open: Open;
  readonly #url: string;
  readonly #signal: AbortSignal | undefined;
  #last: string | undefined;
  #retryMs = WAIT_MS;
  #failures = 0;
  #hasBegun = false;

  constructor(open: Open, url: string, options: EventsOptions) {
    this.#open = open;
    this.#url = url;
    this.#signal = options.signal;
    this.#last = options.after;
  }

  async *events(): AsyncGenerator<Event, void, undefined> {
    while (!this.#signal?.aborted) {
      let waitMs = this.#retryMs;
      try {
        yield* this.#once();
      } catch (problem) {
        if (this.#signal?.aborted) return;
        waitMs = this.#waitAfter(problem);
      }
      await pause(waitMs, this.#signal);
    }
  }

  /** How long to wait after a failure; a permanent one is thrown. */
  #waitAfter(problem: unknown): number {
    if (!(problem instanceof HeldtrueError) || !this.#hasBegun || !mayPass(problem)) throw problem;
    const growing = Math.min(this.#retryMs * 2 ** this.#failures++, WAIT_MS_MAX);
    return Math.max(growing, (problem.retryAfter ?? 0) * 1000);
  }

  /** The events of one connection. */
  async *#once(): AsyncGenerator<Event, void, undefined> {
    const patience = new Patience(this.#signal);
    try {
      patience.allow(QUIET_MS_MAX, () => unreachable(this.#url, "no data for too long"));
      const response = await this.#open(this.#last, patience.signal);
      this.#hasBegun = true;
      this.#failures = 0;
      if (response.body !== null) yield* this.#read(response.body.getReader(), patience);
    } finally {
      patience.end();
    }
  }

  async *#read(
    reader: ReadableStreamDefaultReader<Uint8Array>,
    patience: Patience,
  ): AsyncGenerator<Event, void, undefined> {
    const decoder = new TextDecoder();
    const messages = new Messages();
    try {
      for (;;) {
        patience.allow(QUIET_MS_MAX, () => unreachable(this.#url, "no data for too long"));
        const { value, done } = await reader.read().catch((problem: unknown) => {
          throw unreachable(this.#url, problem);
        });
        // The consumer may take as long as it likes.
        patience.rest();
        if (done) return;
        for (const message of messages.take(decoder.decode(value, { stream: true }))) {
          // Several may have arrived at once; a consumer that stopped the loop gets none of the rest.
          if (this.#signal?.aborted) return;
          this.#retryMs = message.retryMs ?? this.#retryMs;
          if (message.data !== null) {
            this.#last = message.id ?? this.#last;
            yield JSON.parse(message.data);
          } else {
            // A position without an event is the start of the stream; it only counts if there is no position yet.
            this.#last ??= message.id ?? undefined;
          }
        }
      }
    } finally {
      reader.cancel().catch(() => undefined);
    }
  }
}

/** Whether a failure may be temporary. */
function mayPass(problem: HeldtrueError): boolean {
  return problem.status === null || problem.status === 429 || problem.status >= 500;
}
