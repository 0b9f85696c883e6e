import { createHash } from "node:crypto";
import { isJsonObject } from "@svc/sdk/protocol";

/** Number and digest of items. */
export interface Fingerprint {
  readonly items: number;
  /** Hexadecimal; the same for the same items. */
  readonly digest: string;
}

/** Sums up items in constant memory. */
export class Fingerprinter {
  readonly #isOrdered: boolean;
  readonly #sum = new Uint8Array(32);
  #items = 0;

  /** If not ordered, the order of items does not matter. */
  constructor({ isOrdered }: { readonly isOrdered: boolean }) {
    this.#isOrdered = isOrdered;
  }

  /** Adds an item. */
  add(item: unknown): void {
    const place = this.#isOrdered ? `${this.#items}` : "";
    this.#items++;
    const hash = createHash("sha256").update(`${place}\n${canonicalText(item)}`).digest();
    for (const [at, byte] of hash.entries()) this.#sum[at] = (this.#sum[at] ?? 0) ^ byte;
  }

  /** Returns the number and the digest of the items so far. */
  get result(): Fingerprint {
    return { items: this.#items, digest: this.#sum.toHex() };
  }
}

/** Returns a text that two values share if and only if they mean the same to a store. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    if (typeof part === "bigint") return { micros: `${part}` };
    if (ArrayBuffer.isView(part)) return { bytes: digestOf(part) };
    if (part instanceof Map) return { map: Object.fromEntries([...part].sort(byName)) };
    return isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort(byName)) : part;
  });
}

function digestOf({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return createHash("sha256").update(new Uint8Array(buffer, byteOffset, byteLength)).digest("hex");
}

function byName([one]: readonly [unknown, unknown], [other]: readonly [unknown, unknown]): number {
  const [first, second] = [String(one), String(other)];
  return first < second ? -1 : first > second ? 1 : 0;
}
