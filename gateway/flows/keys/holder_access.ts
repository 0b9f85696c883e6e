import { createHash, randomBytes } from "node:crypto";
import { ServiceFault } from "../../domain/fault.ts";
import type { Noted } from "../../domain/operators/trail.ts";
import { type KeyRecord, serves } from "../../domain/policy/key.ts";
import { formatKey, parseKey } from "../../domain/policy/key_format.ts";
import type { Clock } from "../../ports/clock.ts";
import type { KeyStore } from "../../ports/key_store.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Pass, PassKind, PassName, PassStore } from "../../ports/pass_store.ts";
import { MinuteQuota } from "../admit/minute_quota.ts";
import { newKeyParts, type RandomBytes } from "./new_secret.ts";

/** Time in which a link signs in, in milliseconds. */
export const LINK_MS = 10 * 60_000;
/** Time after which a session ends, whether used or not, in milliseconds. */
export const HOLDER_SESSION_MS = 60 * 60_000;
const LIVES_MS: Readonly<Record<PassKind, number>> = { link: LINK_MS, session: HOLDER_SESSION_MS };
/** Links that can be made for a key in a minute. */
export const LINKS_PER_MINUTE = 10;
/**
 * Links of a key that sign in, and its sessions: one more ends the oldest of the same key, so that
 * no key fills the store.
 */
export const PASSES_MAX: Readonly<Record<PassKind, number>> = { link: 20, session: 100 };
/** Minimum time between two sweeps of passes that have ended, in milliseconds. */
const SWEEP_MS = 60_000;

const ID_PREFIX = "key_";

/** Dependencies of {@linkcode HolderAccess}. */
export interface HolderAccessDeps {
  readonly passes: PassStore;
  readonly keys: Pick<KeyStore, "get" | "copiesOf">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly logger: Logger;
  /** @default {randomBytes of node:crypto} */
  readonly random?: RandomBytes | undefined;
}

/** A secret that is shown once. */
export interface IssuedPass {
  readonly secret: string;
  /** Unix time in milliseconds. */
  readonly endsAtMs: number;
}

/** A session of a key's holder, with the key as it is now. */
export interface HolderSession {
  readonly key: KeyRecord;
  /** Unix time in milliseconds; not after the key's own end. */
  readonly endsAtMs: number;
}

/**
 * Access of key holders to their own records without the key. A link signs in once; the session that
 * it begins only reads, and ends with the key: when it is disabled, revoked, rotated or expired, also
 * if it is enabled again. Secrets have 190 random bits and are stored as digests alone, so that any
 * gateway on the store accepts them.
 */
export class HolderAccess {
  readonly #deps: HolderAccessDeps;
  readonly #quota: MinuteQuota;
  #sweptAtMs = -Infinity;

  constructor(deps: HolderAccessDeps) {
    this.#deps = deps;
    this.#quota = new MinuteQuota({
      ...{ clock: deps.clock, limit: LINKS_PER_MINUTE },
      message: `A key gets at most ${LINKS_PER_MINUTE} sign-in links a minute`,
    });
  }

  /** Makes a link. Throws a {@linkcode ServiceFault} if the key does not serve, or has too many. */
  async issueLink(key: KeyRecord, { entry }: Noted<Pass> = {}): Promise<IssuedPass> {
    const isActive = serves(key, this.#deps.clock.nowMs());
    if (isActive) {
      this.#quota.take(key);
      await this.#sweep();
    }
    const link = isActive ? await this.#issue(key.id, "link", { entry }) : undefined;
    if (link !== undefined) return link;
    throw new ServiceFault("conflict", {
      message: `Key "${key.id}" does not serve; only the holder of a key that serves can sign in`,
    });
  }

  /** Uses a link up and begins a session; `undefined` if it is wrong, used, or over. */
  async enter(link: string): Promise<IssuedPass | undefined> {
    const name = nameOf(link, "link");
    // Checked before it is used up, so that a wrong link costs no write.
    if (name === undefined || await this.#valid(await this.#deps.passes.get(name)) === undefined) {
      return undefined;
    }
    const used = await this.#deps.passes.take(name);
    const key = await this.#valid(used);
    return key && used && await this.#issue(key.id, "session", { sinceMs: used.beganAtMs });
  }

  /** Returns the session of a secret; `undefined` if it has ended or never was. */
  async find(secret: string): Promise<HolderSession | undefined> {
    const name = nameOf(secret, "session");
    const pass = name && await this.#deps.passes.get(name);
    const key = await this.#valid(pass);
    return pass && key && { key, endsAtMs: Math.min(pass.endsAtMs, endOf(key)) };
  }

  /** Ends a session. */
  async leave(secret: string): Promise<void> {
    const name = nameOf(secret, "session");
    if (name !== undefined) await this.#deps.passes.take(name);
  }

  /**
   * Ends the links and sessions of a key. A failure is logged: the passes of a key that does not
   * serve, or has a newer copy, are refused anyway, and are removed before it is enabled.
   */
  async endAll(keyId: string): Promise<void> {
    try {
      await this.#deps.passes.removeAll(keyId);
    } catch (error) {
      this.#deps.logger.warn("Cannot end the sessions of a key's holder", {
        key: keyId,
        error: String(error),
      });
    }
  }

  /**
   * Stores a pass; `undefined` if the key has ended meanwhile, or was rotated since `sinceMs`, the
   * beginning of what the pass is made from.
   */
  async #issue(
    keyId: string,
    kind: PassKind,
    { sinceMs = this.#deps.clock.nowMs(), entry }: { readonly sinceMs?: number } & Noted<Pass>,
  ): Promise<IssuedPass | undefined> {
    const { passes, clock, random = randomBytes } = this.#deps;
    const publicId = keyId.slice(ID_PREFIX.length);
    const secret = formatKey(newKeyParts(random, publicId), kind);
    const beganAtMs = clock.nowMs();
    const endsAtMs = beganAtMs + LIVES_MS[kind];
    const pass = { kind, keyId, digest: digestOf(secret), beganAtMs, endsAtMs };
    await passes.put(pass, { max: PASSES_MAX[kind], entry });
    const key = await this.#valid({ ...pass, beganAtMs: sinceMs });
    if (key !== undefined) return { secret, endsAtMs };
    // The removal of the key's passes may have been before this one, which a later enabling would
    // otherwise bring to life.
    await passes.take(pass);
    return undefined;
  }

  /** Returns the key of a pass that admits now. */
  async #valid(pass: Pass | undefined): Promise<KeyRecord | undefined> {
    if (pass === undefined) return undefined;
    const { keys, clock } = this.#deps;
    const nowMs = clock.nowMs();
    if (pass.endsAtMs <= nowMs) return undefined;
    const key = await keys.get(pass.keyId);
    if (key === undefined || !serves(key, nowMs)) return undefined;
    // A copy that was made since is a rotation, also one that has not removed the passes.
    for await (const copy of keys.copiesOf(key.id)) {
      if (copy.createdAtMs >= pass.beganAtMs) return undefined;
    }
    return key;
  }

  async #sweep(): Promise<void> {
    const { passes, clock } = this.#deps;
    const nowMs = clock.nowMs();
    if (nowMs - this.#sweptAtMs < SWEEP_MS) return;
    this.#sweptAtMs = nowMs;
    await passes.sweep(nowMs);
  }
}

/** Returns the time at which a key expires, in Unix milliseconds. */
function endOf({ policy: { expiresAt } }: KeyRecord): number {
  return expiresAt === undefined ? Infinity : Date.parse(expiresAt);
}

/** Returns the name of the pass of a secret; `undefined` if it is not of the kind's form. */
function nameOf(secret: string, kind: PassKind): PassName | undefined {
  const parts = parseKey(secret, kind);
  return parts && { kind, keyId: ID_PREFIX + parts.publicId, digest: digestOf(secret) };
}

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
