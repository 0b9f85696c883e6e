import { randomBytes } from "node:crypto";
import type { RandomBytes } from "../flows/keys/new_secret.ts";
import type { Clock } from "../ports/clock.ts";

/** Sessions that are kept; one more ends the one that was used least recently. */
export const SESSIONS_MAX = 100;
/** A session that is not used ends after this time, in milliseconds. */
export const IDLE_MS = 60 * 60_000;
/** Every session ends, in milliseconds after its sign-in. */
export const LIFETIME_MS = 12 * 60 * 60_000;

const ID_BYTES = 32;

/** A message that is shown once, on the next page. */
export interface Flash {
  readonly kind: "done" | "problem" | "info";
  readonly text: string;
}

/** Somebody who has signed in. */
export interface Session {
  /** 256 random bits, known to one browser. */
  readonly id: string;
  /** Said on the next page, then removed. */
  flash?: Flash | undefined;
}

interface StoredSession extends Session {
  readonly beganMs: number;
  readonly epoch: number;
  usedMs: number;
}

/** Options of {@linkcode Sessions}. */
export interface SessionsOptions {
  readonly clock: Pick<Clock, "monotonicMs">;
  /** A session ends when this is not what it was at its sign-in. */
  readonly tokenEpoch: () => number;
  /** @default {randomBytes of node:crypto} */
  readonly random?: RandomBytes;
}

/** The sessions of the console. They are in memory: a restart ends all of them. */
export class Sessions {
  readonly #options: SessionsOptions;
  /** In the order of their last use. */
  readonly #sessions = new Map<string, StoredSession>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Begins a session, always under a new id. */
  begin(epoch: number = this.#options.tokenEpoch()): Session {
    const { clock, random = randomBytes } = this.#options;
    const nowMs = clock.monotonicMs();
    const id = random(ID_BYTES).toHex();
    const session: StoredSession = { id, beganMs: nowMs, usedMs: nowMs, epoch };
    this.#sessions.set(id, session);
    if (this.#sessions.size > SESSIONS_MAX) {
      const [oldest = ""] = this.#sessions.keys();
      this.#sessions.delete(oldest);
    }
    return session;
  }

  /** The session of an id, which counts as used; `undefined` where it has ended or never was. */
  find(id: string): Session | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    this.#sessions.delete(id);
    const nowMs = this.#options.clock.monotonicMs();
    const isOver = nowMs - session.usedMs >= IDLE_MS || nowMs - session.beganMs >= LIFETIME_MS ||
      session.epoch !== this.#options.tokenEpoch();
    if (isOver) return undefined;
    session.usedMs = nowMs;
    this.#sessions.set(id, session);
    return session;
  }

  /** Ends one. */
  end(id: string): void {
    this.#sessions.delete(id);
  }

  /** Ends all. */
  endAll(): void {
    this.#sessions.clear();
  }
}
