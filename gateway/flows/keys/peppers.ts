import { createHmac } from "node:crypto";

/** A secret in the digests of keys and tokens, so that a copy of the digests is useless. */
export interface Pepper {
  /** Prefix of every digest made with it. */
  readonly version: number;
  readonly secret: string;
}

/** The peppers in force: one, or two during a rotation. */
export class Peppers {
  #current: Pepper;
  #previous: Pepper | undefined;
  /**
   * True when keys may be under a pepper that another gateway was given and this process was not:
   * an unknown key may be a good one then.
   */
  isIncomplete = false;

  constructor(current: Pepper, previous?: Pepper) {
    this.#current = current;
    this.#previous = previous;
  }

  /** The pepper of new digests. */
  get current(): Pepper {
    return this.#current;
  }

  /** The pepper that older digests may still use. */
  get previous(): Pepper | undefined {
    return this.#previous;
  }

  /** Replaces the peppers in force, for all holders of this object. */
  change(current: Pepper, previous?: Pepper): void {
    this.#current = current;
    this.#previous = previous;
  }

  /**
   * Returns the digest of a secret: the version of the current pepper, a dot, and the hexadecimal
   * HMAC-SHA-256.
   */
  digest(secret: string): string {
    return digestUnder(this.#current, secret);
  }

  /** Returns the digests of a secret under every pepper in force, the current one first. */
  digests(secret: string): readonly string[] {
    const current = digestUnder(this.#current, secret);
    return this.#previous === undefined
      ? [current]
      : [current, digestUnder(this.#previous, secret)];
  }
}

/** True when a digest was made with this version of the pepper. */
export function usesPepper(digest: string, version: number): boolean {
  return digest.startsWith(`${version}.`);
}

/** Returns the version of the pepper that a digest was made with. */
export function versionOf(digest: string): number {
  return Number(digest.slice(0, digest.indexOf(".")));
}

function digestUnder({ version, secret: pepper }: Pepper, secret: string): string {
  return `${version}.${createHmac("sha256", pepper).update(secret).digest("hex")}`;
}
