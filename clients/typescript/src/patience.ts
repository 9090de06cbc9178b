/** The longest that a timer can wait. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** A signal that fires when the caller aborts, or when nothing has happened for too long. */
export class Patience {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #giveUp = (): void => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted) this.#giveUp();
    outer?.addEventListener("abort", this.#giveUp);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Wait this long from now, then fail with this reason. */
  allow(ms: number, reason: (ms: number) => unknown): void {
    clearTimeout(this.#timer);
    if (ms <= TIMER_MS_MAX) this.#timer = setTimeout(() => this.#controller.abort(reason(ms)), ms);
  }

  /** Wait as long as it takes. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  /** Release the timer and the caller's signal. */
  end(): void {
    this.rest();
    this.#outer?.removeEventListener("abort", this.#giveUp);
  }
}

/** Wait, or until the signal fires. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}
