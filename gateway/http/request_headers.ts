/** Headers that can be looked up, as those of a `Request`. */
export interface HeaderLookUp {
  get(name: string): string | null;
  has(name: string): boolean;
  forEach(callback: (value: string, name: string) => void): void;
}

/**
 * The headers of a request, read from it once: the platform converts names and values anew for each
 * look-up.
 */
export class RequestHeaders implements HeaderLookUp {
  readonly #values = new Map<string, string>();

  constructor(headers: Headers) {
    headers.forEach((value, name) => this.#values.set(name, value));
  }

  /** Returns the value of a header, in any case of its name; `null` without one. */
  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  /** True when there is a header, in any case of its name. */
  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  /** Calls a function with the value and the name, in lower case, of each header. */
  forEach(callback: (value: string, name: string) => void): void {
    this.#values.forEach((value, name) => callback(value, name));
  }
}
