import type { ReckonedBooks } from "./books.ts";
import type { Caller } from "./caller.ts";
import type { SimulatedService } from "./service.ts";

/** A key that callers may use. */
export interface UsedKey {
  readonly id: string;
  readonly secret: string;
  /** Number of the initial key that it is, or was rotated from. */
  readonly founded: number;
  /** True when the service has confirmed the revocation: the key may begin nothing any more. */
  revoked: boolean;
}

/** The part of a world that its verdicts read. */
export interface WorldFacts {
  readonly callers: readonly Caller[];
  readonly keys: readonly UsedKey[];
  readonly books: ReckonedBooks;
  /** Time since the world began, in milliseconds. */
  readonly nowMs: number;
  /** The process; absent while none runs. */
  readonly service: SimulatedService | undefined;
  /** Holds whose charge was in doubt for so long that the caller was refused and the operator informed. */
  readonly doubted: ReadonlySet<string>;
  /** Holds that could not be settled when their calls ended: the settlement is retried. */
  readonly late: ReadonlySet<string>;
  /** Requests whose row the store refused, which was logged: the next start writes it. */
  readonly notLogged: ReadonlySet<number>;
  /** Returns the result of work, and ends the commits that it waits for. */
  resultOf<T>(work: Promise<T>): Promise<T>;
}
