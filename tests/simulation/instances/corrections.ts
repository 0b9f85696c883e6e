/**
 * Corrections of operators at any instance: each is sent until it is answered, some are sent twice at
 * once, and some again after they were answered.
 *
 * @module
 */

import { refundId } from "../../../gateway/domain/ledger/correction.ts";
import type { CorrectionCommand } from "../../../gateway/domain/ledger/correction_types.ts";
import type { Wallet } from "../../../gateway/domain/ledger/ledger.ts";
import type { Correction } from "../../../gateway/domain/ledger/waiting_correction.ts";
import type { KeyRecord } from "../../../gateway/domain/policy/key.ts";
import type { StoredKey } from "../../../gateway/ports/key_store.ts";
import type { Applied } from "../../../gateway/ports/ledger_store.ts";
import { encodeCorrection } from "../../../gateway/stores/correction_json.ts";
import type { PostgresCorrections } from "../../../gateway/stores/postgres/operators/corrections.ts";
import type { Accuse, ReckonedBooks } from "../books.ts";
import { walletId } from "./call.ts";
import type { SideTables } from "./side_tables.ts";
import { type DrawnCorrection, INSTANCES, MOVED_KEYS, WALLETS } from "./steps.ts";

const KIM = { kind: "operator", id: "opr_1", name: "Kim" } as const;
/** Time of every correction. */
const AT_MS = 1;

/** One correction. */
interface Sent {
  readonly command: CorrectionCommand;
  /** The record of one that another person approved, as it becomes. */
  readonly ended: Correction | undefined;
  /** Number of times that it is under way. */
  open: number;
  isApplied: boolean;
  /** Reasons for which it was refused. */
  readonly refusals: Set<string>;
}

/** The world as corrections see it. */
export interface CorrectionPorts {
  readonly books: ReckonedBooks;
  readonly accuse: Accuse;
  /** The committed rows. */
  readonly rows: () => SideTables;
  /** Repeats work at whichever process has a number, until one answers. */
  readonly tried: <T>(
    number: number,
    work: (stores: { readonly corrections: PostgresCorrections }) => Promise<T>,
  ) => Promise<T>;
}

/** The operators. */
export class Corrections {
  readonly #ports: CorrectionPorts;
  readonly #all: Sent[] = [];

  constructor(ports: CorrectionPorts) {
    this.#ports = ports;
  }

  /** Number of those that were made. */
  get count(): number {
    return this.#ports.books.corrections.size;
  }

  /** Ids of those that are not answered. */
  get unanswered(): readonly string[] {
    return this.#all.filter(({ open }) => open > 0).map(({ command }) => command.opId);
  }

  /** Stores the keys that move. */
  storeKeys(): void {
    for (let number = 0; number < MOVED_KEYS; number++) {
      const key = foundedKey(number);
      this.#ports.rows().keys.set(key.record.id, JSON.stringify(key));
    }
  }

  /** Makes a correction. */
  async make(drawn: DrawnCorrection): Promise<void> {
    const sent = drawn.what === "again" ? this.#earlier(drawn) : this.#new(drawn);
    if (sent === undefined) return;
    const instance = (drawn.instance + 1) % INSTANCES;
    const others = !drawn.isTwice ? [] : drawn.what === "move"
      // Another operator moves the key elsewhere at the same time.
      ? [this.make({ ...drawn, number: drawn.number + 1, instance, isTwice: false })]
      : [this.#send(sent, instance)];
    await Promise.all([this.#send(sent, drawn.instance), ...others]);
  }

  /** Checks every correction against the journal, at the end of a run. */
  judge(): void {
    const { books, accuse } = this.#ports;
    for (const { command: { opId } } of this.#all) {
      const same = this.#all.filter(({ command }) => command.opId === opId);
      const isApplied = same.some((sent) => sent.isApplied);
      const isBooked = books.corrections.has(opId);
      if (isApplied && !isBooked) accuse("an answered correction is durable", opId);
      // The record, or the key, may have changed by an attempt whose answer was lost.
      const isOvertaken = same.some(({ refusals }) => refusals.has("overtaken"));
      if (!isApplied && isBooked && !isOvertaken) {
        accuse("a refused correction changes nothing", opId);
      }
    }
    for (const [id, data] of this.#ports.rows().keys) {
      const { walletId: stored } = (JSON.parse(data) as StoredKey).record;
      const last = books.moved.get(id) ?? walletId(0);
      if (stored !== last) accuse("a key has the wallet of its last move", `${id}: ${stored}`);
    }
  }

  #earlier({ pick }: DrawnCorrection): Sent | undefined {
    return this.#all[Math.floor(pick * this.#all.length)];
  }

  #new(drawn: DrawnCorrection): Sent | undefined {
    const command = this.#commandOf(drawn);
    if (command === undefined) return undefined;
    const ended = drawn.isApproved && !this.#isKnown(command.opId) ? approved(command) : undefined;
    if (ended !== undefined) {
      const data = encodeCorrection({ ...ended, state: "waiting", version: 1 });
      this.#ports.rows().corrections.set(command.opId, { version: 1, data });
    }
    const sent = { command, ended, open: 0, isApplied: false, refusals: new Set<string>() };
    this.#all.push(sent);
    return sent;
  }

  #isKnown(opId: string): boolean {
    return this.#all.some(({ command }) => command.opId === opId);
  }

  async #send(sent: Sent, instance: number): Promise<void> {
    sent.open++;
    const wasApplied = sent.isApplied;
    const { opId } = sent.command;
    const answer = await this.#ports.tried(
      instance,
      ({ corrections }) => this.#apply(sent, corrections),
    );
    sent.open--;
    if (answer.ok) {
      sent.isApplied = true;
      if (!this.#ports.books.corrections.has(opId)) {
        this.#ports.accuse("an answered correction is durable", opId);
      }
      return;
    }
    sent.refusals.add(answer.refusal);
    // The record of one that waited has ended by the first answer.
    if (wasApplied && answer.refusal !== "overtaken") {
      this.#ports.accuse("a repeated correction is answered as the first", opId);
    }
  }

  async #apply(
    { command, ended }: Sent,
    corrections: PostgresCorrections,
  ): Promise<Applied<Wallet>> {
    const located = command.kind === "move"
      ? { ...command, from: this.#walletOf(command.keyId) }
      : command;
    const author = { ...KIM, address: null, requestId: "" } as const;
    return await corrections.apply(located, {
      ended,
      entry: () => ({
        ...{
          atMs: AT_MS,
          author,
          action: "correct",
          stage: "done",
          subject: command.opId,
        } as const,
      }),
    });
  }

  #walletOf(keyId: string): string {
    const data = this.#ports.rows().keys.get(keyId);
    return data === undefined ? "" : (JSON.parse(data) as StoredKey).record.walletId;
  }

  #commandOf(drawn: DrawnCorrection): CorrectionCommand | undefined {
    const { what, number, amount } = drawn;
    const wallet = walletId(number % WALLETS);
    const { credits = 0n, spent = 0n } = this.#ports.books.wallets.get(wallet) ?? {};
    const expected = credits - spent;
    const opId = `correction-${this.#all.length}`;
    const common = { opId, walletId: wallet, note: "simulated", atMs: AT_MS };
    switch (what) {
      case "debit":
        return { kind: "debit", ...common, amount: BigInt(amount) };
      case "adjust":
        return {
          kind: "adjust",
          ...common,
          expected,
          counted: BigInt(Math.max(0, Number(expected) + amount - 60)),
        };
      case "tier":
        return { kind: "tier", ...common, tier: amount % 2 === 0 ? "basic" : "standard" };
      case "close":
        return { kind: "close", ...common, expected };
      case "move": {
        const keyId = foundedKey(amount % MOVED_KEYS).record.id;
        return { kind: "move", ...common, keyId, from: "" };
      }
      default:
        return this.#refundOf(drawn, common);
    }
  }

  #refundOf(
    { pick }: DrawnCorrection,
    common: Pick<CorrectionCommand, "note" | "atMs">,
  ): CorrectionCommand | undefined {
    const { books } = this.#ports;
    const paid = books.settlements[Math.floor(pick * books.settlements.length)];
    if (paid === undefined || paid.charged === 0n) return undefined;
    const { charged, wallet, holdId } = paid;
    const logId = holdId.replace("hold", "log");
    // The second refund of a call has another amount, and is refused.
    const amount = this.#isKnown(refundId(logId)) ? 1n : charged;
    const refund = { kind: "refund", walletId: wallet, logId, charged, amount } as const;
    return { ...common, ...refund, opId: refundId(logId) };
  }
}

function approved(command: CorrectionCommand): Correction {
  return {
    ...{ id: command.opId, command, stake: 1n, state: "approved", by: KIM, atMs: AT_MS },
    ...{ expiresAtMs: AT_MS + 1, endedBy: { ...KIM, id: "opr_2" }, endedAtMs: AT_MS, version: 2 },
  };
}

/** Returns a key that moves, as it is at first. */
export function foundedKey(number: number): StoredKey {
  const record: KeyRecord = {
    ...{ id: `moved-${number}`, name: "", walletId: walletId(0), status: "active", policy: {} },
    ...{ hint: "", createdAtMs: AT_MS },
  };
  return { record, digest: `1.${number}` };
}
