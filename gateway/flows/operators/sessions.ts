import { randomBytes } from "node:crypto";
import { type Actor, EMERGENCY } from "../../domain/operators/operator.ts";
import type { Noted } from "../../domain/operators/trail.ts";
import type { Clock } from "../../ports/clock.ts";
import type {
  ConsoleSessionStore,
  Flash,
  SessionSpan,
  StoredSession,
  StoredSignIn,
} from "../../ports/console_session_store.ts";
import type { RandomBytes } from "../keys/new_secret.ts";
import { digestOf, sealedWith } from "./browser_secret.ts";
import type { Operators } from "./operators.ts";
import { type Asks, SsoChecks } from "./sso_checks.ts";

/** Sessions of one actor; one more ends the one of them that was used least recently. */
export const OWN_SESSIONS_MAX = 20;
/**
 * Sessions in all; one more is refused, so that no operator's sign-ins end sessions of others. The
 * admin token is always let in: it counts as one actor.
 */
export const SESSIONS_MAX = 2_000;
/** A session that is not used ends after this time, in milliseconds. */
export const IDLE_MS = 60 * 60_000;
/** Every session ends, in milliseconds after its sign-in. */
export const LIFETIME_MS = 12 * 60 * 60_000;
/** Uses are noted this far apart, in milliseconds. */
export const NOTED_MS = 10_000;

const ID_BYTES = 32;
/** Length of the public name of a session, in characters. */
const NAME_CHARS = 16;
/** Tries of a change that another change has overtaken. */
const TRIES = 5;

/** A way in which a session is begun. */
export type SignIn =
  | Exclude<StoredSignIn, { kind: "sso" }>
  | { readonly kind: "sso"; /** The provider's grant. */ readonly grant: string };

/** Somebody who has signed in. */
export interface Session {
  /** 256 random bits, known to one browser. */
  readonly id: string;
  readonly actor: Actor;
  /** To be said on the next page. */
  readonly flash?: Flash | undefined;
}

/** A session as it is listed. */
export type ListedSession =
  & Pick<StoredSession, "name" | "actor" | "beganMs" | "usedMs">
  & { readonly address: string | undefined };

/** Options of {@linkcode Sessions}. */
export interface SessionsOptions {
  readonly store: ConsoleSessionStore;
  readonly clock: Pick<Clock, "nowMs">;
  readonly operators: Pick<Operators, "present">;
  /** True while the admin token of a mark is accepted. */
  readonly adminTokens: { readonly stands: (mark: string) => boolean };
  /** Asks the identity provider again; absent without one. */
  readonly signOn?: Asks | undefined;
  /** @default {randomBytes of node:crypto} */
  readonly random?: RandomBytes;
}

/**
 * The sessions of the console. The store has no secret of them, so that every gateway on it finds
 * them, and none can use one without its browser.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #checks: SsoChecks;

  constructor(options: SessionsOptions) {
    this.#options = options;
    const { clock, signOn } = options;
    this.#checks = new SsoChecks({
      ...{ clock, signOn },
      read: (digest) => options.store.get(digest),
      change: (digest, decide) => this.#change(digest, decide),
    });
  }

  /** Begins a session, always under a new id; `undefined` where there are too many in all. */
  async begin(
    signIn: SignIn,
    { actor, address, entry }:
      & { actor: Actor; address?: string | undefined }
      & Noted<StoredSession>,
  ): Promise<Session | undefined> {
    const { clock, store, random = randomBytes } = this.#options;
    const nowMs = clock.nowMs();
    const id = random(ID_BYTES).toHex();
    const digest = digestOf(id);
    const stored: StoredSession = {
      ...{ digest, name: `ses_${digest.slice(0, NAME_CHARS)}`, actor },
      ...address === undefined ? {} : { address },
      signIn: signIn.kind === "sso"
        ? { kind: "sso", sealed: sealedWith(id, signIn.grant), checkedMs: nowMs }
        : signIn,
      ...{ beganMs: nowMs, usedMs: nowMs, version: 1 },
    };
    const allMax = actor.kind === "emergency" ? Infinity : SESSIONS_MAX;
    const bounds = { ...this.#span(), max: OWN_SESSIONS_MAX, allMax };
    const isIn = await store.create(stored, bounds, { entry });
    return isIn ? { id, actor } : undefined;
  }

  /**
   * The session of an id, which counts as used, with the rights that its operator has now;
   * `undefined` where it has ended or never was.
   */
  async find(id: string): Promise<Session | undefined> {
    const { store, clock } = this.#options;
    const digest = digestOf(id);
    const stored = await store.get(digest);
    if (stored === undefined) return undefined;
    const { usedAfterMs, beganAfterMs } = this.#span();
    const isOver = stored.usedMs <= usedAfterMs || stored.beganMs <= beganAfterMs;
    const actor = isOver ? undefined : await this.#actorOf(id, stored);
    if (actor === undefined) {
      await store.end({ digest });
      return undefined;
    }
    if (JSON.stringify(actor) !== JSON.stringify(stored.actor)) {
      await this.#change(digest, (session) => ({ ...session, actor }));
    }
    const nowMs = clock.nowMs();
    if (nowMs - stored.usedMs >= NOTED_MS) await store.touch(digest, nowMs);
    return { id, actor, flash: stored.flash };
  }

  /** Keeps a message for the next page of a session, whichever gateway shows it. */
  async say(id: string, flash: Flash): Promise<void> {
    await this.#change(digestOf(id), (session) => ({ ...session, flash }));
  }

  /** Forgets the message that a page has shown. */
  async forgetFlash(id: string): Promise<void> {
    await this.#change(digestOf(id), ({ flash: _shown, ...session }) => session);
  }

  /** Returns the sessions, the one that was used last first. */
  async list(): Promise<readonly ListedSession[]> {
    const all = await this.#options.store.list(this.#span());
    return all.map(({ name, actor, address, beganMs, usedMs }) => (
      { name, actor, address, beganMs, usedMs }
    ));
  }

  /** Returns the session of a public name. */
  async named(name: string): Promise<ListedSession | undefined> {
    return (await this.list()).find((session) => session.name === name);
  }

  /** Ends one. */
  end(id: string, options: Noted<StoredSession> = {}): Promise<void> {
    return this.#options.store.end({ digest: digestOf(id) }, options);
  }

  /** Ends the one of a public name. */
  endNamed(name: string, options: Noted<StoredSession> = {}): Promise<void> {
    return this.#options.store.end({ name }, options);
  }

  /** Ends all of an actor, each with an entry of its own. */
  endAllOf(actorId: string, options: Noted<StoredSession> = {}): Promise<void> {
    return this.#options.store.end({ actorId }, options);
  }

  #span(): SessionSpan {
    const nowMs = this.#options.clock.nowMs();
    return { usedAfterMs: nowMs - IDLE_MS, beganAfterMs: nowMs - LIFETIME_MS };
  }

  async #actorOf(id: string, stored: StoredSession): Promise<Actor | undefined> {
    const { operators, adminTokens } = this.#options;
    const { signIn, beganMs } = stored;
    if (signIn.kind === "emergency") return adminTokens.stands(signIn.mark) ? EMERGENCY : undefined;
    if (signIn.kind === "sso") return await this.#checks.actorOf(id, stored);
    return await operators.present({ ...signIn, beganMs });
  }

  /** Changes a session; resolves to it, or to `undefined` where nothing was to change. */
  async #change(
    digest: string,
    decide: (session: StoredSession) => StoredSession | undefined,
  ): Promise<StoredSession | undefined> {
    const { store } = this.#options;
    for (let tries = 0; tries < TRIES; tries++) {
      const stored = await store.get(digest);
      const decided = stored && decide(stored);
      if (stored === undefined || decided === undefined) return undefined;
      const changed = { ...decided, version: stored.version + 1 };
      if (await store.replace(changed)) return changed;
    }
    return undefined;
  }
}
