import type { Noted } from "../../domain/operators/trail.ts";
import type {
  ConsoleSessionStore,
  SessionBounds,
  SessionChoice,
  SessionSpan,
  SignInTicket,
  StoredSession,
} from "../../ports/console_session_store.ts";
import type { TrailStore } from "../../ports/trail_store.ts";
import { Turns } from "../../system/turns.ts";

/**
 * Sessions of the console in the memory of one process, for a store that no other process has: a
 * restart ends all of them. One that begins, or is ended by an operator, does so as soon as the entry
 * of the audit log is durable, and not without it.
 */
export class SessionMemory implements ConsoleSessionStore {
  readonly #sessions = new Map<string, StoredSession>();
  readonly #tickets = new Map<string, SignInTicket>();
  readonly #trail: Pick<TrailStore, "append">;
  /** One end at a time: two of the same session would each have an entry. */
  readonly #ends = new Turns();

  constructor(trail: Pick<TrailStore, "append">) {
    this.#trail = trail;
  }

  async create(
    session: StoredSession,
    { max, allMax, ...span }: SessionBounds,
    { entry }: Noted<StoredSession> = {},
  ): Promise<boolean> {
    const running = this.#inOrder(span);
    const isOwn = ({ actor }: StoredSession) => actor.id === session.actor.id;
    const over = new Set(running.filter(isOwn).slice(Math.max(0, max - 1)));
    const kept = new Set(running.filter((other) => !over.has(other)));
    if (kept.size >= allMax) return false;
    const ended = [...this.#sessions.values()].filter((other) => !kept.has(other));
    // Counted by those that begin meanwhile. No browser has its secret before the entry is durable.
    this.#sessions.set(session.digest, session);
    try {
      if (entry !== undefined) await this.#trail.append(entry({ after: session }));
    } catch (error) {
      this.#sessions.delete(session.digest);
      throw error;
    }
    for (const { digest } of ended) this.#sessions.delete(digest);
    return true;
  }

  get(digest: string): Promise<StoredSession | undefined> {
    return Promise.resolve(this.#sessions.get(digest));
  }

  list(span: SessionSpan): Promise<readonly StoredSession[]> {
    return Promise.resolve(this.#inOrder(span));
  }

  replace(session: StoredSession): Promise<boolean> {
    const { digest, version } = session;
    const stored = this.#sessions.get(digest);
    if (stored?.version !== version - 1) return Promise.resolve(false);
    this.#sessions.set(digest, { ...session, usedMs: stored.usedMs });
    return Promise.resolve(true);
  }

  touch(digest: string, usedMs: number): Promise<void> {
    const stored = this.#sessions.get(digest);
    if (stored !== undefined && stored.usedMs < usedMs) {
      this.#sessions.set(digest, { ...stored, usedMs });
    }
    return Promise.resolve();
  }

  async end(choice: SessionChoice, { entry }: Noted<StoredSession> = {}): Promise<void> {
    await this.#ends.run("", () => this.#end(choice, entry));
  }

  async #end(choice: SessionChoice, entry: Noted<StoredSession>["entry"]): Promise<void> {
    for (const session of [...this.#sessions.values()]) {
      const { digest, name, actor } = session;
      const isChosen = "digest" in choice
        ? choice.digest === digest
        : "name" in choice
        ? choice.name === name
        : choice.actorId === actor.id;
      if (!isChosen) continue;
      if (entry !== undefined) await this.#trail.append(entry({ before: session }));
      this.#sessions.delete(digest);
    }
  }

  putTicket(
    ticket: SignInTicket,
    { nowMs, max }: { readonly nowMs: number; readonly max: number },
  ): Promise<void> {
    this.#tickets.set(ticket.digest, ticket);
    for (const { digest, untilMs } of this.#tickets.values()) {
      if (untilMs <= nowMs) this.#tickets.delete(digest);
    }
    for (const digest of [...this.#tickets.keys()].slice(0, -max)) this.#tickets.delete(digest);
    return Promise.resolve();
  }

  takeTicket(digest: string): Promise<SignInTicket | undefined> {
    const ticket = this.#tickets.get(digest);
    this.#tickets.delete(digest);
    return Promise.resolve(ticket);
  }

  /** The one that was used last first; of two, the one that began later. */
  #inOrder({ usedAfterMs, beganAfterMs }: SessionSpan): readonly StoredSession[] {
    return [...this.#sessions.values()].reverse()
      .filter(({ usedMs, beganMs }) => usedMs > usedAfterMs && beganMs > beganAfterMs)
      .sort((one, other) => other.usedMs - one.usedMs);
  }
}
