import type { ProblemDetails } from "./generated.js";

/** The details of a `HeldtrueError`. */
export interface Told {
  code: string;
  field?: string | null;
  hint?: string | null;
  status?: number | null;
  retryAfter?: number | null;
  cause?: unknown;
}

/** A failed call. An expected outcome, such as a refused write, is an answer, not an error. */
export class HeldtrueError extends Error {
  override readonly name = "HeldtrueError";
  /**
   * A stable error code: `invalid_input`, `not_found`, `not_allowed`, ...
   * The client itself adds `unreachable`, `timeout` and `unreadable`.
   */
  readonly code: string;
  /** The argument with the problem. */
  readonly field: string | null;
  /** What to do next. */
  readonly hint: string | null;
  /** The HTTP status; null if there was no answer. */
  readonly status: number | null;
  /** Seconds until a retry makes sense; null if the server did not say. */
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

/** The error that a response reports. */
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
  const told = { code: "unreachable", field: "url", hint: "start it with heldtrue serve", cause };
  return new HeldtrueError(`the server at ${url} cannot be reached`, told);
}

export function unreadable(status: number): HeldtrueError {
  const told = { code: "unreadable", field: "url", hint: "check that the URL is that of a Heldtrue server", status };
  return new HeldtrueError(`the server returned status ${status} with an unreadable body`, told);
}

export function timedOut(ms: number): HeldtrueError {
  const hint = "give a longer timeoutMs; a write with your own idempotency_key can be repeated safely";
  return new HeldtrueError(`no answer within ${ms} ms`, { code: "timeout", hint });
}
