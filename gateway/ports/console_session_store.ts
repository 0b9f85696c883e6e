import type { Actor } from "../domain/operators/operator.ts";
import type { Noted } from "../domain/operators/trail.ts";

/** A message that is shown once, on the next page. */
export interface Flash {
  readonly kind: "done" | "problem" | "info";
  readonly text: string;
}

/** A way in which a session was begun: it says at every use who its actor is, if anybody still. */
export type StoredSignIn =
  | { readonly kind: "emergency"; /** Digest of the admin token. */ readonly mark: string }
  | { readonly kind: "operator"; readonly operatorId: string; readonly tokenId: string }
  | {
    readonly kind: "sso";
    /** The provider's grant, under a key that only the browser has. */
    readonly sealed: string;
    /** Unix times in milliseconds: of the provider's last answer, and of a question in progress. */
    readonly checkedMs: number;
    readonly askedMs?: number | undefined;
  };

/** A session of the console, without anything that opens it. */
export interface StoredSession {
  /** Digest of the secret that the browser has. */
  readonly digest: string;
  /** Public name, which opens nothing. */
  readonly name: string;
  /** The actor as last seen. */
  readonly actor: Actor;
  readonly signIn: StoredSignIn;
  readonly address?: string | undefined;
  /** Unix times in milliseconds. */
  readonly beganMs: number;
  readonly usedMs: number;
  readonly flash?: Flash | undefined;
  /** Grows by one with each change. */
  readonly version: number;
}

/** The sessions that have not run out. */
export interface SessionSpan {
  readonly usedAfterMs: number;
  readonly beganAfterMs: number;
}

/** Sessions that are kept beside a new one. */
export interface SessionBounds extends SessionSpan {
  /** Maximum number of sessions of its actor. */
  readonly max: number;
  /** Maximum number of sessions of all actors. */
  readonly allMax: number;
}

/** Sessions to end: one, or all of an actor. */
export type SessionChoice =
  | { readonly digest: string }
  | { readonly name: string }
  | { readonly actorId: string };

/** A sign-in that has begun, until the browser comes back. */
export interface SignInTicket {
  /** Digest of the secret of the browser. */
  readonly digest: string;
  /** The values that the end must fit, under a key that only the browser has. */
  readonly sealed: string;
  /** Unix time in milliseconds. */
  readonly untilMs: number;
}

/**
 * Sessions of the console, and sign-ins that have begun. Gateways on one database share them: one
 * that is ended is found by none.
 */
export interface ConsoleSessionStore {
  /**
   * Stores a session, and deletes those that are outside the span, and beyond the maximum of its
   * actor those that this actor used least recently. No session of another actor gives way: returns
   * false, and stores nothing, where there would be too many in all.
   */
  create(
    session: StoredSession,
    bounds: SessionBounds,
    options?: Noted<StoredSession>,
  ): Promise<boolean>;
  get(digest: string): Promise<StoredSession | undefined>;
  /** Returns all within the span, the one that was used last first. */
  list(span: SessionSpan): Promise<readonly StoredSession[]>;
  /**
   * Replaces a session, except the time of its last use. Returns false, and stores nothing, unless
   * the stored version is the one before.
   */
  replace(session: StoredSession): Promise<boolean>;
  /** Notes a use; an earlier one than the last changes nothing. */
  touch(digest: string, usedMs: number): Promise<void>;
  /** Ends sessions, each with an entry of its own. */
  end(choice: SessionChoice, options?: Noted<StoredSession>): Promise<void>;
  /** Stores a ticket; deletes those that are over, and beyond the maximum the oldest. */
  putTicket(
    ticket: SignInTicket,
    bounds: { readonly nowMs: number; readonly max: number },
  ): Promise<void>;
  /** Removes a ticket: of several callers one gets it. */
  takeTicket(digest: string): Promise<SignInTicket | undefined>;
}
