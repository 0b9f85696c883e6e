import { timingSafeEqual } from "node:crypto";
import { formatKey } from "../../domain/policy/key_format.ts";
import type { EntryOf, Noted } from "../../domain/operators/trail.ts";
import type { Logger } from "../../ports/logger.ts";
import type { SettingsStore } from "../../ports/settings_store.ts";
import { newKeyParts, type RandomBytes } from "./new_secret.ts";
import type { Peppers } from "./peppers.ts";

/**
 * Name of the setting with the digests: that of the token, and after a space that of its successor.
 */
export const ADMIN_DIGESTS = "admin_token_digest";

const LONGEST_TOKEN = 256;

/** Options of the admin tokens. */
export interface AdminTokenOptions {
  readonly settings: SettingsStore;
  readonly peppers: Peppers;
  readonly logger: Logger;
  /** A token that is accepted beside the stored one while the service runs with it. */
  readonly startToken?: string | undefined;
  /** Source of secrets. @default {randomBytes of node:crypto} */
  readonly random?: RandomBytes | undefined;
}

/** The digests in the store. */
interface StoredDigests {
  readonly token: string;
  /** Digest of a new token that has not been used yet. */
  readonly next?: string | undefined;
}

/** All that the audit log has of the admin tokens. */
export interface AdminTokensState {
  /** True while a new token waits for its confirmation. */
  readonly successor: boolean;
}

/** Returns a new admin token. Only its digest may be stored. */
export function newAdminToken(random?: RandomBytes): string {
  return formatKey(newKeyParts(random), "admin");
}

/**
 * The admin tokens: the stored one, and one given to this start. Service keys are another class,
 * with separate digests.
 *
 * A rotation has two steps, so that a lost response locks no operator out: the new token is
 * accepted beside the old one until a request that carries it confirms it.
 */
export class AdminTokens {
  readonly #options: AdminTokenOptions;
  #stored: StoredDigests;
  /** The stored digests as they were read or written. */
  #row: string | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(row: string | undefined, options: AdminTokenOptions) {
    this.#row = row;
    this.#stored = digestsIn(row);
    this.#options = options;
  }

  /** Reads the stored digests. A given token that is the stored one moves to the current pepper. */
  static async open(options: AdminTokenOptions): Promise<AdminTokens> {
    const tokens = new AdminTokens(await options.settings.get(ADMIN_DIGESTS), options);
    if (options.startToken !== undefined) tokens.admits(options.startToken);
    await tokens.idle();
    return tokens;
  }

  /** True when this start was given a token that is not the stored one. */
  get hasAnother(): boolean {
    const { peppers, startToken } = this.#options;
    return startToken !== undefined && !isAmong(peppers.digests(startToken), this.#stored.token);
  }

  /** True when a token is accepted. Every digest is compared, so that the time reveals nothing. */
  admits(presented: string): boolean {
    const { peppers, startToken } = this.#options;
    const digests = peppers.digests(presented.slice(0, LONGEST_TOKEN + 1));
    const stored = isAmong(digests, this.#stored.token);
    const next = isAmong(digests, this.#stored.next ?? "");
    const isGiven = isAmong(digests, startToken === undefined ? "" : peppers.digest(startToken));
    if (stored || next) this.#moveBeside(digests);
    return stored || next || isGiven;
  }

  /** Returns the mark of a token that is accepted, for {@linkcode AdminTokens.stands}. */
  async markOf(presented: string): Promise<string | undefined> {
    if (!this.admits(presented)) return undefined;
    // Its digest may be on the way to the current pepper.
    await this.idle();
    const digests = this.#options.peppers.digests(presented.slice(0, LONGEST_TOKEN + 1));
    return digests.map((digest) => `${digest} ${this.#stored.token}`)
      .find((mark) => this.stands(mark));
  }

  /**
   * True while the token of a mark is accepted, and no other has become the stored one, at any
   * gateway on the store: the sessions that it began end with it. A mark does not outlive the pepper
   * of its digests.
   */
  stands(mark: string): boolean {
    const { peppers, startToken } = this.#options;
    const { token, next } = this.#stored;
    const given = startToken === undefined ? [] : peppers.digests(startToken);
    return [token, next, ...given].some((digest) => mark === `${digest} ${token}`);
  }

  /** Reads the digests again: another gateway may have changed them. */
  refresh(): Promise<void> {
    return this.#next(() => this.#read());
  }

  /** Creates the successor of the stored token, in place of one that was not confirmed. */
  async rotate({ entry }: Noted<AdminTokensState> = {}): Promise<string> {
    const token = newAdminToken(this.#options.random);
    const next = this.#options.peppers.digest(token);
    await this.#change((stored) => ({ token: stored.token, next }), entry);
    return token;
  }

  /** Replaces the stored token by the new one. Returns false if `presented` is not the new one. */
  async confirm(
    presented: string,
    { entry }: Noted<AdminTokensState> = {},
  ): Promise<boolean> {
    const digests = this.#options.peppers.digests(presented.slice(0, LONGEST_TOKEN + 1));
    let confirmed = false;
    await this.#change((stored) => {
      confirmed = stored.next !== undefined && isAmong(digests, stored.next);
      return confirmed ? { token: digests[0] ?? "" } : stored;
    }, entry);
    return confirmed;
  }

  /** Resolves when no background write is in progress. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  /** Moves digests under the previous pepper to the current one. */
  #moveBeside(digests: readonly string[]): void {
    const [to = "", from] = digests;
    const { token, next } = this.#stored;
    if (from === undefined || (token !== from && next !== from)) return;
    const moved = (digest: string | undefined) => digest === from ? to : digest;
    this.#change((stored) => ({ token: moved(stored.token) ?? "", next: moved(stored.next) }))
      .catch((error) => {
        this.#options.logger.warn("Cannot move the admin token to the current pepper", {
          error: String(error),
        });
      });
  }

  /**
   * Changes the stored digests, one change after the other, each durable before it takes effect. A
   * change is decided again if another gateway has changed them meanwhile.
   */
  #change(
    decide: (stored: StoredDigests) => StoredDigests,
    entry?: EntryOf<AdminTokensState>,
  ): Promise<void> {
    return this.#next(async () => {
      for (;;) {
        const stored = decide(this.#stored);
        if (stored === this.#stored) return;
        const to = stored.next === undefined ? stored.token : `${stored.token} ${stored.next}`;
        const states = { before: stateOf(this.#stored), after: stateOf(stored) };
        const change = { from: this.#row, to, entry: entry && (() => entry(states)) };
        if (await this.#options.settings.replace(ADMIN_DIGESTS, change)) {
          this.#row = to;
          this.#stored = stored;
          return;
        }
        await this.#read();
      }
    });
  }

  async #read(): Promise<void> {
    const row = await this.#options.settings.get(ADMIN_DIGESTS);
    if (row === this.#row) return;
    this.#row = row;
    this.#stored = digestsIn(row);
  }

  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#writing.then(work);
    this.#writing = done.catch(() => {});
    return done;
  }
}

function stateOf({ next }: StoredDigests): AdminTokensState {
  return { successor: next !== undefined };
}

function digestsIn(row: string | undefined): StoredDigests {
  const [token = "", next] = row?.split(" ") ?? [];
  return { token, next };
}

const encoder = new TextEncoder();

function isAmong(digests: readonly string[], accepted: string): boolean {
  const expected = encoder.encode(accepted);
  return digests.map((digest) => encoder.encode(digest))
    .filter((digest) => digest.length === expected.length && timingSafeEqual(digest, expected))
    .length > 0;
}
