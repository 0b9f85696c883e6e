/**
 * Addresses that let whoever has them read one file for a while, without a key.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { BlobStore } from "../../ports/blob_store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { MediaFile } from "../../ports/fetch_image.ts";
import type { Rng } from "../../ports/rng.ts";
import type { Pepper, Peppers } from "../keys/peppers.ts";

/** Where the files of signed links are served, followed by the file's id. */
export const LINK_PATH = "/files/";
/** How long a link works, in milliseconds: an hour, as long as OpenAI's. */
export const LINK_TTL_MS = 60 * 60 * 1_000;

/** What a link's address says, checked or not. */
export interface LinkClaim {
  readonly id: string;
  /** As in the query: Unix time in seconds. */
  readonly expires: string | undefined;
  /** As in the query. */
  readonly signature: string | undefined;
}

/** Makes signed links and checks them. The secrets never leave. */
export class SignedLinks {
  readonly #peppers: Pick<Peppers, "current" | "previous">;
  readonly #baseUrl: () => string;

  /**
   * Keys are derived from the peppers for this purpose alone. Links are made under the current one;
   * those made before it was changed go on working as long as the previous one is in force.
   */
  constructor(
    options: {
      readonly peppers: Pick<Peppers, "current" | "previous">;
      readonly baseUrl: () => string;
    },
  ) {
    this.#peppers = options.peppers;
    this.#baseUrl = options.baseUrl;
  }

  /** The address of a file until a time; whole seconds, rounded up. */
  make(id: string, expiresAtMs: number): string {
    const expires = String(Math.ceil(expiresAtMs / 1_000));
    const signature = sign(this.#peppers.current, id, expires).toString("base64url");
    const query = `expires=${expires}&signature=${signature}`;
    return `${this.#baseUrl().replace(/\/+$/, "")}${LINK_PATH}${encodeURIComponent(id)}?${query}`;
  }

  /** Whether an address was made here and its time is not over. */
  verify({ id, expires, signature }: LinkClaim, nowMs: number): boolean {
    if (expires === undefined || !/^\d{1,12}$/.test(expires)) return false;
    if (signature === undefined || !/^[\w-]{43}$/.test(signature)) return false;
    const claimed = Buffer.from(signature, "base64url");
    // The last character has bits to spare: one spelling of a signature only.
    if (claimed.toString("base64url") !== signature) return false;
    const { current, previous } = this.#peppers;
    const matches = [current, previous ?? current].map((pepper) =>
      timingSafeEqual(claimed, sign(pepper, id, expires))
    );
    return matches.includes(true) && nowMs < Number(expires) * 1_000;
  }
}

function sign({ secret }: Pepper, id: string, expires: string): Buffer {
  const key = createHmac("sha256", secret).update("signed links, version 1").digest();
  // The id stands last: it may hold anything, the time only digits.
  return createHmac("sha256", key).update(`${expires}\n${id}`).digest();
}

/** What publishing needs. */
export interface PublishDeps {
  readonly blobs: BlobStore;
  readonly links: SignedLinks;
  readonly clock: Pick<Clock, "nowMs">;
  readonly rng: Pick<Rng, "id">;
}

/** Keeps a file and returns the address it is at for an hour; `undefined` where there is no room. */
export async function publishFile(
  { blobs, links, clock, rng }: PublishDeps,
  file: MediaFile,
): Promise<string | undefined> {
  const id = rng.id("file");
  const expiresAtMs = Math.ceil((clock.nowMs() + LINK_TTL_MS) / 1_000) * 1_000;
  const kept = await blobs.put({ id, expiresAtMs, ...file });
  return kept ? links.make(id, expiresAtMs) : undefined;
}
