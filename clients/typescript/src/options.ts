import type { Event } from "./generated.js";

/** The server, and the caller. */
export interface HeldtrueOptions {
  /** For example http://127.0.0.1:7373. */
  url: string;
  /** The token shown by `heldtrue serve` or `heldtrue agents add`. */
  token: string;
  /** The project, repo and session you work in; the token must allow them. */
  project?: string | undefined;
  repo?: string | undefined;
  session?: string | undefined;
  /** How long a call may take, including its retry. Default: 60000; Infinity for no limit. */
  timeoutMs?: number | undefined;
  /** The fetch function. Default: the global fetch. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call; it then fails with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How long this call may take. */
  timeoutMs?: number | undefined;
}

export type EventName = Event["event"];

/** Which events to follow, and from where. */
export interface EventsOptions {
  /** The id of the last event seen. Default: from now on. */
  after?: string | undefined;
  /** Only these events. Default: all. */
  names?: readonly EventName[] | undefined;
  /** Ends the loop. */
  signal?: AbortSignal | undefined;
}
