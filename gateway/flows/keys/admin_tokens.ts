import { timingSafeEqual } from "node:crypto";
import { formatKey } from "../../domain/policy/key_format.ts";
import type { Logger } from "../../ports/logger.ts";
import type { SettingsStore } from "../../ports/settings_store.ts";
import { newKeyParts, type RandomBytes } from "./new_secret.ts";
import type { Peppers } from "./peppers.ts";

/** The setting that holds the digests: the token's, and after a space the one's that is to follow it. */
export const ADMIN_DIGESTS = "admin_token_digest";

const LONGEST_TOKEN = 256;

/** What admin tokens are checked with. */
export interface AdminTokenOptions {
  readonly settings: SettingsStore;
  readonly peppers: Peppers;
  readonly logger: Logger;
  /** Let in beside the kept one as long as the service runs with it. */
  readonly given?: string | undefined;
  /** Source of secrets. @default {randomBytes of node:crypto} */
  readonly random?: RandomBytes | undefined;
}

/** Digests that stand in the store. */
interface Kept {
  readonly token: string;
  /** Of a token that was made and has not been used yet. */
  readonly next?: string | undefined;
}

/** A new admin token. Only its digest is to be kept. */
export function newAdminToken(random?: RandomBytes): string {
  return formatKey(newKeyParts(random), "admin");
}

/**
 * Who is let into the operator's API: the holder of the one kept token, and of one given to this
 * start. Service keys are another class, with digests elsewhere.
 *
 * A rotation has two steps, so that an answer that gets lost locks nobody out: the new token is let
 * in beside the old one until it is confirmed, by a request that carries it.
 */
export class AdminTokens {
  readonly #options: AdminTokenOptions;
  #kept: Kept;
  #epoch = 0;
  #writing: Promise<void> = Promise.resolve();

  private constructor(kept: Kept, options: AdminTokenOptions) {
    this.#kept = kept;
    this.#options = options;
  }

  /** Reads the kept digests. A given token that is the kept one moves to the current pepper. */
  static async open(options: AdminTokenOptions): Promise<AdminTokens> {
    const row = await options.settings.get(ADMIN_DIGESTS);
    const [token = "", next] = row?.split(" ") ?? [];
    const tokens = new AdminTokens({ token, next }, options);
    if (options.given !== undefined) tokens.admits(options.given);
    await tokens.idle();
    return tokens;
  }

  /** Whether a token is let in. Every digest is compared, so that time tells nothing. */
  admits(presented: string): boolean {
    const { peppers, given } = this.#options;
    const digests = peppers.digests(presented.slice(0, LONGEST_TOKEN + 1));
    const kept = isAmong(digests, this.#kept.token);
    const next = isAmong(digests, this.#kept.next ?? "");
    const isGiven = isAmong(digests, given === undefined ? "" : peppers.digest(given));
    if (kept || next) this.#moveBeside(digests);
    return kept || next || isGiven;
  }

  /** Grows whenever a token that was let in is let in no more: what it began is over. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Makes the token that is to follow the kept one, in place of any made before and not confirmed. */
  async rotate(): Promise<string> {
    const made = newAdminToken(this.#options.random);
    const next = this.#options.peppers.digest(made);
    let replaced: string | undefined;
    await this.#change((kept) => {
      replaced = kept.next;
      return { token: kept.token, next };
    });
    if (replaced !== undefined) this.#epoch++;
    return made;
  }

  /** Lets the new token take the place of the kept one; false where `presented` is not the new one. */
  async confirm(presented: string): Promise<boolean> {
    const digests = this.#options.peppers.digests(presented.slice(0, LONGEST_TOKEN + 1));
    let confirmed = false;
    await this.#change((kept) => {
      confirmed = kept.next !== undefined && isAmong(digests, kept.next);
      return confirmed ? { token: digests[0] ?? "" } : kept;
    });
    if (confirmed) this.#epoch++;
    return confirmed;
  }

  /** Resolves when nothing is written beside requests any more. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  /** Puts digests that stand under the previous pepper under the current one. */
  #moveBeside(digests: readonly string[]): void {
    const [to = "", from] = digests;
    const { token, next } = this.#kept;
    if (from === undefined || (token !== from && next !== from)) return;
    const moved = (digest: string | undefined) => digest === from ? to : digest;
    this.#change((kept) => ({ token: moved(kept.token) ?? "", next: moved(kept.next) }))
      .catch((error) => {
        this.#options.logger.warn("Cannot move the admin token to the current pepper", {
          error: String(error),
        });
      });
  }

  /** Changes the kept digests once that is durable, one change after the other. */
  #change(decide: (kept: Kept) => Kept): Promise<void> {
    const change = this.#writing.then(async () => {
      const kept = decide(this.#kept);
      if (kept === this.#kept) return;
      const row = kept.next === undefined ? kept.token : `${kept.token} ${kept.next}`;
      await this.#options.settings.set(ADMIN_DIGESTS, row);
      this.#kept = kept;
    });
    this.#writing = change.catch(() => {});
    return change;
  }
}

const encoder = new TextEncoder();

function isAmong(digests: readonly string[], accepted: string): boolean {
  const expected = encoder.encode(accepted);
  return digests.map((digest) => encoder.encode(digest))
    .filter((digest) => digest.length === expected.length && timingSafeEqual(digest, expected))
    .length > 0;
}
