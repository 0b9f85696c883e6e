import type { Actor } from "../../domain/operators/operator.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StoredSession, StoredSignIn } from "../../ports/console_session_store.ts";
import { sealedWith, unsealedWith } from "./browser_secret.ts";

/** Time after which the provider is asked again who somebody is, in milliseconds. */
export const RECHECK_MS = 3 * 60_000;
/** A session ends when the provider could not be asked for this time, in milliseconds. */
export const UNCHECKED_MAX_MS = 10 * 60_000;
/** Time after which a question of another gateway counts as lost, in milliseconds. */
const ASKED_MS = 30_000;
/** Time between two looks for its answer, in milliseconds, and their number. */
const LOOK_MS = 250;
const LOOKS = ASKED_MS / LOOK_MS + 4;

/** Somebody as the provider describes them, and its grant to ask again. */
export interface Granted {
  readonly actor: Actor;
  /** Secret. */
  readonly grant: string;
}

/** Asks the identity provider again. */
export interface Asks {
  /**
   * Returns the person of a grant as they are now; `undefined` where the provider no longer vouches
   * for them, or none of their groups has a role. Rejects where the provider cannot be reached.
   */
  again(grant: string): Promise<Granted | undefined>;
}

/** Parts of {@linkcode SsoChecks}. */
export interface SsoChecksParts {
  readonly clock: Pick<Clock, "nowMs">;
  readonly signOn: Asks | undefined;
  read(digest: string): Promise<StoredSession | undefined>;
  /** Changes a session; resolves to `undefined` where nothing was changed. */
  change(
    digest: string,
    decide: (session: StoredSession) => StoredSession | undefined,
  ): Promise<StoredSession | undefined>;
}

type SsoSignIn = Extract<StoredSignIn, { kind: "sso" }>;

/**
 * Asks the provider now and then whether it still vouches for those whom it has signed in. One
 * gateway at a time asks for a session: a provider may take a grant that is used twice for a stolen
 * one.
 */
export class SsoChecks {
  readonly #parts: SsoChecksParts;
  readonly #checking = new Map<string, Promise<Actor | undefined>>();

  constructor(parts: SsoChecksParts) {
    this.#parts = parts;
  }

  /** Returns the actor of a session; `undefined` once it is over. */
  actorOf(id: string, session: StoredSession): Promise<Actor | undefined> {
    if (!this.#isDue(session)) return Promise.resolve(session.actor);
    const { digest } = session;
    const checking = this.#checking.get(digest) ??
      this.#check(id, digest).finally(() => this.#checking.delete(digest));
    this.#checking.set(digest, checking);
    return checking;
  }

  async #check(id: string, digest: string): Promise<Actor | undefined> {
    const { clock, change, read } = this.#parts;
    for (let looks = 0; looks < LOOKS; looks++) {
      const claimed = await change(digest, (session) => {
        const { signIn } = session;
        const askedMs = clock.nowMs();
        if (signIn.kind !== "sso" || !this.#isDue(session) || isAsked(signIn, askedMs)) return;
        return { ...session, signIn: { ...signIn, askedMs } };
      });
      if (claimed !== undefined) return await this.#ask(id, claimed);
      const stored = await read(digest);
      if (stored === undefined) return undefined;
      if (!this.#isDue(stored)) return stored.actor;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return undefined;
  }

  async #ask(id: string, claimed: StoredSession): Promise<Actor | undefined> {
    const { clock, signOn, change } = this.#parts;
    const { signIn, digest } = claimed;
    if (signIn.kind !== "sso" || signOn === undefined) return undefined;
    const { askedMs: _asked, ...idle } = signIn;
    const grant = unsealedWith(id, signIn.sealed);
    if (grant === undefined) return undefined;
    let granted: Granted | undefined;
    try {
      granted = await signOn.again(grant);
    } catch (_unreachable) {
      if (clock.nowMs() - signIn.checkedMs >= UNCHECKED_MAX_MS) return undefined;
      await change(digest, (session) => ({ ...session, signIn: idle }));
      return claimed.actor;
    }
    if (granted === undefined) return undefined;
    const { actor } = granted;
    const sealed = sealedWith(id, granted.grant);
    const checked = { ...idle, sealed, checkedMs: clock.nowMs() };
    await change(digest, (session) => ({ ...session, actor, signIn: checked }));
    return actor;
  }

  #isDue({ signIn }: StoredSession): boolean {
    return signIn.kind === "sso" && this.#parts.clock.nowMs() - signIn.checkedMs >= RECHECK_MS;
  }
}

function isAsked({ askedMs }: SsoSignIn, nowMs: number): boolean {
  return askedMs !== undefined && nowMs - askedMs < ASKED_MS;
}
