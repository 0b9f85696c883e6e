import { createHmac } from "node:crypto";

/** A secret that keys and tokens are digested with, so that a copy of their digests is of no use. */
export interface Pepper {
  /** Stands before every digest that was made under it. */
  readonly version: number;
  readonly secret: string;
}

/** The peppers in force: one, or two while keys move from one to the next. */
export class Peppers {
  #current: Pepper;
  #previous: Pepper | undefined;

  constructor(current: Pepper, previous?: Pepper) {
    this.#current = current;
    this.#previous = previous;
  }

  /** What new digests are made under. */
  get current(): Pepper {
    return this.#current;
  }

  /** What older digests may still stand under. */
  get previous(): Pepper | undefined {
    return this.#previous;
  }

  /** Puts others in force, at once for everybody who holds this. */
  change(current: Pepper, previous?: Pepper): void {
    this.#current = current;
    this.#previous = previous;
  }

  /** Version of the current pepper, a dot, and the hexadecimal HMAC-SHA-256 of a secret under it. */
  digest(secret: string): string {
    return digestUnder(this.#current, secret);
  }

  /** Digests of a secret under every pepper in force, the current one's first. */
  digests(secret: string): readonly string[] {
    const current = digestUnder(this.#current, secret);
    return this.#previous === undefined
      ? [current]
      : [current, digestUnder(this.#previous, secret)];
  }
}

/** Whether a digest was made under a version of the pepper. */
export function standsUnder(digest: string, version: number): boolean {
  return digest.startsWith(`${version}.`);
}

function digestUnder({ version, secret: pepper }: Pepper, secret: string): string {
  return `${version}.${createHmac("sha256", pepper).update(secret).digest("hex")}`;
}
