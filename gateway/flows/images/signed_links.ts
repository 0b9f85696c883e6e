/**
 * Signed addresses: each lets its holder read one file for a limited time, without a key.
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

/** Path of signed links, followed by the id of the file. */
export const LINK_PATH = "/files/";
/** Lifetime of a link, in milliseconds: one hour, as for OpenAI. */
export const LINK_TTL_MS = 60 * 60 * 1_000;

/** The claim in the address of a link, unverified. */
export interface LinkClaim {
  readonly id: string;
  /** As in the query: Unix time in seconds. */
  readonly expires: string | undefined;
  /** As in the query. */
  readonly signature: string | undefined;
}

/** Creates and verifies signed links. The secrets never leave it. */
export class SignedLinks {
  readonly #peppers: Pick<Peppers, "current" | "previous">;
  readonly #baseUrl: () => string;

  /**
   * Keys are derived from the peppers for this purpose only. Links are signed under the current
   * pepper; links that were signed before a rotation work as long as the previous pepper is in
   * force.
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

  /** Returns the address of a file that works until `expiresAtMs`, rounded up to seconds. */
  make(id: string, expiresAtMs: number): string {
    const expires = String(Math.ceil(expiresAtMs / 1_000));
    const signature = sign(this.#peppers.current, id, expires).toString("base64url");
    const query = `expires=${expires}&signature=${signature}`;
    return `${this.#baseUrl().replace(/\/+$/, "")}${LINK_PATH}${encodeURIComponent(id)}?${query}`;
  }

  /** True when an address was signed here and has not expired. */
  verify({ id, expires, signature }: LinkClaim, nowMs: number): boolean {
    if (expires === undefined || !/^\d{1,12}$/.test(expires)) return false;
    if (signature === undefined || !/^[\w-]{43}$/.test(signature)) return false;
    const claimed = Buffer.from(signature, "base64url");
    // The last character has unused bits: only one spelling of a signature is accepted.
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
  // The id is last: it may contain any character, the time only digits.
  return createHmac("sha256", key).update(`${expires}\n${id}`).digest();
}

/** Parts of the service that publishing uses. */
export interface PublishDeps {
  readonly blobs: BlobStore;
  readonly links: SignedLinks;
  readonly clock: Pick<Clock, "nowMs">;
  readonly rng: Pick<Rng, "id">;
}

/**
 * Stores a file and returns its address, which works for an hour; `undefined` if there is no room.
 */
export async function publishFile(
  { blobs, links, clock, rng }: PublishDeps,
  file: MediaFile,
): Promise<string | undefined> {
  const id = rng.id("file");
  const expiresAtMs = Math.ceil((clock.nowMs() + LINK_TTL_MS) / 1_000) * 1_000;
  const isStored = await blobs.put({ id, expiresAtMs, ...file });
  return isStored ? links.make(id, expiresAtMs) : undefined;
}
