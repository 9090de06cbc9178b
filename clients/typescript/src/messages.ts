/** One message of a stream of server-sent events. */
export interface Message {
  id: string | null;
  data: string | null;
  retryMs: number | null;
}

/** Splits chunks of text into lines with any line ending; an incomplete line waits for the next chunk. */
class Lines {
  #rest = "";

  take(part: string): string[] {
    // A carriage return at the very end may be half of a line ending.
    const lines = (this.#rest + part).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    return lines;
  }
}

/** Parses lines into messages; an incomplete message at the end is dropped. */
export class Messages {
  readonly #lines = new Lines();
  #id: string | null = null;
  #data: string[] = [];
  #retryMs: number | null = null;

  take(part: string): Message[] {
    return this.#lines.take(part).flatMap((line) => (line === "" ? this.#finish() : this.#read(line)));
  }

  #read(line: string): Message[] {
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "retry" && /^\d+$/.test(value)) this.#retryMs = Number(value);
    return [];
  }

  #finish(): Message[] {
    const data = this.#data.length > 0 ? this.#data.join("\n") : null;
    const message = { id: this.#id, data, retryMs: this.#retryMs };
    this.#id = null;
    this.#data = [];
    this.#retryMs = null;
    return [message];
  }
}
