import type { Event } from "./generated.js";

/** Where a server is, and who asks it. */
export interface HeldtrueOptions {
  /** Such as http://127.0.0.1:7373. */
  url: string;
  /** The token that `heldtrue serve` or `heldtrue agents add` has shown. */
  token: string;
  /** The project, repo and session you work in; each must be one that the token allows. */
  project?: string | undefined;
  repo?: string | undefined;
  session?: string | undefined;
  /** How long a call may take, with its second try. Default: 60000; Infinity for no end. */
  timeoutMs?: number | undefined;
  /** What sends requests, if not the global fetch. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** What may be said for a single call. */
export interface CallOptions {
  /** Gives the call up; it then fails with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How long this call may take. */
  timeoutMs?: number | undefined;
}

export type EventName = Event["event"];

/** Which events are followed, and from where. */
export interface EventsOptions {
  /** The id of the last event seen; left out, from now on. */
  after?: string | undefined;
  /** Only these events; left out, all. */
  names?: readonly EventName[] | undefined;
  /** Ends the loop. */
  signal?: AbortSignal | undefined;
}
