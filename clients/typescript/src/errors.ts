import type { ProblemDetails } from "./generated.js";

/** What a `HeldtrueError` says beside its message. */
export interface Told {
  code: string;
  field?: string | null;
  hint?: string | null;
  status?: number | null;
  retryAfter?: number | null;
  cause?: unknown;
}

/** A call that failed. An expected outcome, such as a refused write, is an answer and no error. */
export class HeldtrueError extends Error {
  override readonly name = "HeldtrueError";
  /**
   * What went wrong, in a word that stays the same: `invalid_input`, `not_found`, `not_allowed`, ...
   * The client's own are `unreachable`, `timeout` and `unreadable`.
   */
  readonly code: string;
  /** The argument that is meant. */
  readonly field: string | null;
  /** What to do next. */
  readonly hint: string | null;
  /** The status of the answer; null where there was none. */
  readonly status: number | null;
  /** After how many seconds it may be tried again; null where the server did not say. */
  readonly retryAfter: number | null;

  constructor(message: string, told: Told) {
    super(message, "cause" in told ? { cause: told.cause } : undefined);
    this.code = told.code;
    this.field = told.field ?? null;
    this.hint = told.hint ?? null;
    this.status = told.status ?? null;
    this.retryAfter = told.retryAfter ?? null;
  }
}

/** The error that an answer tells of. */
export function readProblem(response: Response, body: string): HeldtrueError {
  const told = parseProblem(body);
  if (told === null) return unreadable(response.status);
  const { code, field, hint } = told;
  return new HeldtrueError(told.detail, { code, field, hint, status: response.status, retryAfter: readWait(response) });
}

function parseProblem(body: string): ProblemDetails | null {
  try {
    const told: Partial<ProblemDetails> | null = JSON.parse(body);
    return typeof told?.code === "string" && typeof told.detail === "string" ? (told as ProblemDetails) : null;
  } catch {
    return null;
  }
}

function readWait(response: Response): number | null {
  const seconds = Number.parseInt(response.headers.get("retry-after") ?? "", 10);
  return Number.isNaN(seconds) ? null : seconds;
}

export function unreachable(url: string, cause: unknown): HeldtrueError {
  const told = { code: "unreachable", field: "url", hint: "start it with: heldtrue serve", cause };
  return new HeldtrueError(`the server at ${url} cannot be reached`, told);
}

export function unreadable(status: number): HeldtrueError {
  const told = { code: "unreadable", field: "url", hint: "is this the address of a Heldtrue server?", status };
  return new HeldtrueError(`the server answered ${status} and nothing that can be read`, told);
}

export function timedOut(ms: number): HeldtrueError {
  const hint = "give a longer timeoutMs; a write with an idempotency_key of yours can be sent again safely";
  return new HeldtrueError(`there was no answer within ${ms} ms`, { code: "timeout", hint });
}
