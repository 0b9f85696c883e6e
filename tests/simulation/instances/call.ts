/**
 * A call of a caller at one instance: a hold, checkpoints, and an end, each repeated under its id
 * until there is an answer.
 *
 * @module
 */

import type { HoldCommand, LedgerRefusal } from "../../../gateway/domain/ledger/ledger.ts";
import type { Applied } from "../../../gateway/ports/ledger_store.ts";
import type { RequestRecord } from "../../../gateway/ports/request_log.ts";
import { StoreError } from "../../../gateway/ports/store_error.ts";
import type { PostgresLedger } from "../../../gateway/stores/postgres/ledger/ledger.ts";
import type { Accuse } from "../books.ts";
import type { Course } from "./steps.ts";

/** Budget of a name in total, in micros. */
export const NAME_BUDGET = 250n;

/** The world as a call sees it. */
export interface CallPorts {
  readonly ledger: PostgresLedger;
  readonly nowMs: () => number;
  /** Resolves when the simulation lets the call go on. */
  readonly next: () => Promise<void>;
  readonly accuse: Accuse;
  /** Called when its hold has ended without it. */
  readonly onCut: (call: Call) => void;
}

/** The state of a call. */
export type CallState = "running" | "refused" | "failed" | "settled" | "void" | "lost";

const TOKENS = { inputTokens: 3, cachedInputTokens: 0, outputTokens: 2, estimated: false };

/** One call. */
export class Call {
  readonly number: number;
  readonly course: Course;
  state: CallState = "running";
  refusal: LedgerRefusal | undefined;
  /** Amount that was held. */
  held: bigint | undefined;
  charged: bigint | undefined;
  /** True once it takes back a hold that may have landed. */
  isLeaving = false;
  /** True when its instance was ended by another one, which may have ended the hold. */
  wasFenced = false;
  readonly #ports: CallPorts;

  constructor(number: number, course: Course, ports: CallPorts) {
    this.number = number;
    this.course = course;
    this.#ports = ports;
  }

  /** Id of its hold. */
  get holdId(): string {
    return `hold-${this.number}`;
  }

  /** Id of its row in the request log. */
  get logId(): string {
    return `log-${this.number}`;
  }

  get isDone(): boolean {
    return this.state !== "running";
  }

  /** Goes through its course. A killed process leaves it where it is. */
  async run(): Promise<void> {
    if (!await this.#hold()) return;
    for (const cost of this.course.checkpoints) {
      await this.#ports.next();
      const answer = await this.#untilAnswered((ledger) =>
        ledger.progress(
          { kind: "progress", holdId: this.holdId, cost: BigInt(cost), ...this.#tokens() },
          () => this.#record("killed"),
        )
      );
      if (!answer.ok) return this.#cutBy(answer.refusal);
    }
    await this.#ports.next();
    await (this.course.cost === undefined ? this.#void() : this.#settle(BigInt(this.course.cost)));
  }

  /** Ends a call whose process was killed. */
  lose(): void {
    if (!this.isDone) this.state = "lost";
  }

  async #hold(): Promise<boolean> {
    const { waitMs, repeats } = this.course;
    try {
      const work = () => this.#ports.ledger.hold(this.#command(), { waitMs });
      const answer = await work();
      if (this.isDone) return false;
      if (answer.ok) this.held = answer.value.held;
      else this.#refuse(answer.refusal);
      if (repeats && answer.ok) this.#compare(answer, await work());
      return answer.ok;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (this.isDone) return false;
      if (error.mayHaveLanded || this.held !== undefined) return await this.#giveUp();
      this.state = "failed";
      return false;
    }
  }

  /** Voids a hold that may have landed. */
  async #giveUp(): Promise<false> {
    this.isLeaving = true;
    const answer = await this.#untilAnswered((ledger) => ledger.voidHold(this.#voiding()));
    if (this.isDone) return false;
    if (answer.ok || answer.refusal === "hold_not_found" || this.wasFenced) this.state = "failed";
    else this.#ports.accuse("a hold that may have landed can be voided", answer.refusal);
    return false;
  }

  async #settle(cost: bigint): Promise<void> {
    const command = { kind: "settle", holdId: this.holdId, cost, ...TOKENS, atMs: this.#atMs };
    const answer = await this.#untilAnswered((ledger) =>
      ledger.settle({ ...command, kind: "settle" }, { row: this.#record("ok") })
    );
    if (!answer.ok) return this.#cutBy(answer.refusal);
    this.charged = answer.value.charged;
    this.state = "settled";
  }

  async #void(): Promise<void> {
    const answer = await this.#untilAnswered((ledger) => ledger.voidHold(this.#voiding()));
    if (!answer.ok) return this.#cutBy(answer.refusal);
    this.state = "void";
  }

  /** A refusal in the middle of a call: its hold was ended by another instance. */
  #cutBy(refusal: LedgerRefusal): void {
    this.#ports.onCut(this);
    if (!this.wasFenced) {
      this.#ports.accuse("the hold of a living instance is its own", `${this.holdId}: ${refusal}`);
    }
    this.#refuse(refusal);
  }

  #refuse(refusal: LedgerRefusal): void {
    this.refusal = refusal;
    this.state = "refused";
  }

  /** Repeats a command under its id until the store answers. */
  async #untilAnswered<T>(
    work: (ledger: PostgresLedger) => Promise<Applied<T>>,
  ): Promise<Applied<T>> {
    for (;;) {
      try {
        const answer = await work(this.#ports.ledger);
        if (this.course.repeats && answer.ok) {
          this.#compare(answer, await work(this.#ports.ledger));
        }
        return this.isDone ? await new Promise(() => {}) : answer;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        await this.#ports.next();
      }
    }
  }

  #compare<T>(first: Applied<T>, second: Applied<T>): void {
    const [one, other] = [first, second].map((answer) =>
      JSON.stringify(answer, (_, value) => typeof value === "bigint" ? `${value}` : value)
    );
    if (one !== other && !this.wasFenced) {
      this.#ports.accuse("a repeat is answered alike", `${this.holdId}: ${one}, then ${other}`);
    }
  }

  get #atMs(): number {
    return this.#ports.nowMs();
  }

  #tokens() {
    const { inputTokens, cachedInputTokens, outputTokens } = TOKENS;
    return { inputTokens, cachedInputTokens, outputTokens, atMs: this.#atMs };
  }

  #command(): HoldCommand {
    const { wallet, key, amount, minimum, budget, named } = this.course;
    return {
      ...{ kind: "hold", holdId: this.holdId, walletId: walletId(wallet), keyId: `key-${key}` },
      ...{ logId: this.logId, model: "m", priceVersion: 1, atMs: this.#atMs },
      ...{ amount: BigInt(amount), minimum: BigInt(minimum) },
      budget: budget === undefined ? {} : { day: BigInt(budget) },
      ...named.length > 0 && {
        named: named.map((name) => ({ name, budget: { total: NAME_BUDGET } })),
      },
    };
  }

  #voiding() {
    const { holdId } = this;
    return { kind: "void", holdId, reason: "test", atMs: this.#atMs } as const;
  }

  #record(outcome: RequestRecord["outcome"]): RequestRecord {
    return {
      ...{ id: this.logId, requestId: `req-${this.number}`, atMs: this.#atMs, keyId: "key-0" },
      ...{ walletId: walletId(this.course.wallet), endpoint: "chat", stream: false, status: 200 },
      ...{ outcome, durationMs: 1, holdIds: [this.holdId], charged: "0.000000" },
      ...TOKENS,
    };
  }
}

/** Returns the id of a wallet. */
export function walletId(wallet: number): string {
  return `wallet-${wallet}`;
}
