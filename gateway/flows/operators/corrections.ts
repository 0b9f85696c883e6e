import { decideCorrection } from "../../domain/ledger/correction.ts";
import type { CorrectionCommand } from "../../domain/ledger/correction_types.ts";
import type { LedgerRefusal, Wallet } from "../../domain/ledger/ledger.ts";
import { formatCredits, type Micros } from "../../domain/ledger/money.ts";
import {
  type Correction,
  CORRECTION_LIFE_MS,
  ENDED_KEPT,
  endingRefusal,
  isSameCommand,
  mayAskAgain,
  personOf,
  stakeOf,
  stateAt,
  WAITING_MAX,
} from "../../domain/ledger/waiting_correction.ts";
import { differences, loggable, type TrailDraft } from "../../domain/operators/trail.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CorrectionStore } from "../../ports/correction_store.ts";
import type { Applied, LedgerStore } from "../../ports/ledger_store.ts";
import type { Manager } from "./operators.ts";

/** Dependencies of {@linkcode Corrections}. */
export interface CorrectionsDeps {
  readonly corrections: CorrectionStore;
  readonly ledger: Pick<LedgerStore, "wallet">;
  readonly clock: Pick<Clock, "nowMs">;
  /** Credits at stake above which another person approves a correction. */
  readonly approvalMicros: Micros;
}

/** Reasons why a correction is refused, besides those of the ledger. */
export type CorrectionRefusal =
  | LedgerRefusal
  | "own"
  | "made"
  | "waits"
  | "ended"
  | "missing"
  | "full";

/** A correction that was applied, or one that waits or has ended; or the reason for a refusal. */
export type CorrectionOutcome =
  | {
    readonly ok: true;
    /** Absent for one that was applied at once. */
    readonly correction?: Correction | undefined;
    readonly wallet: Wallet;
  }
  | { readonly ok: false; readonly refusal: CorrectionRefusal };

/** Somebody who corrects, and the thing that the audit log names. */
export interface Corrector extends Manager {
  readonly subject: string;
}

/**
 * Corrections of wallets by operators. Those above a limit wait until another person approves them;
 * each change of one is stored with its entry of the audit log.
 */
export class Corrections {
  readonly #deps: CorrectionsDeps;

  constructor(deps: CorrectionsDeps) {
    this.#deps = deps;
  }

  /** Credits at stake above which another person approves, as text. */
  get approvalAbove(): string {
    return formatCredits(this.#deps.approvalMicros);
  }

  /** Returns the corrections that wait, and the last ones that ended, newest first. */
  all(): Promise<readonly Correction[]> {
    return this.#deps.corrections.all();
  }

  /** Returns a correction that waits or has ended. */
  async get(id: string): Promise<Correction | undefined> {
    return (await this.all()).find((one) => one.id === id);
  }

  /**
   * Applies a correction, or lets it wait where more than the limit is at stake. A repeat under the
   * same id changes nothing and returns what became of the first; a refund that was refused or has
   * expired is asked for anew.
   */
  async ask(who: Corrector, command: CorrectionCommand): Promise<CorrectionOutcome> {
    const { corrections, ledger, clock, approvalMicros } = this.#deps;
    const wallet = await ledger.wallet(command.walletId);
    if (wallet === undefined) return refused("wallet_not_found");
    const all = await this.all();
    const known = all.find(({ id }) => id === command.opId);
    if (known !== undefined && !mayAskAgain(known, clock.nowMs())) {
      if (!isSameCommand(known.command, command)) {
        const isWaiting = stateAt(known, clock.nowMs()) === "waiting";
        return refused(isWaiting ? "waits" : "id_reused");
      }
      return { ok: true, correction: known, wallet };
    }
    const stake = stakeOf(command, wallet);
    const isDone = await corrections.operation(command.opId) !== undefined;
    if (isDone || stake <= approvalMicros) {
      const entry = (states: object) => this.#entry(who, command, states);
      return outcomeOf(
        await corrections.apply(command, {
          entry: ({ before, after }) => entry(statesOf(before, after)),
        }),
      );
    }
    return await this.#wait(who, { command, stake, wallet, all });
  }

  /** Approves a correction, which is applied in the same commit; never by the one who asked. */
  async approve(who: Corrector, id: string): Promise<CorrectionOutcome> {
    const nowMs = this.#deps.clock.nowMs();
    const correction = await this.get(id);
    if (correction === undefined) return refused("missing");
    const refusal = endingRefusal(correction, { actor: who.actor, nowMs });
    if (refusal !== undefined) return refused(refusal);
    const ended = this.#ended(who, correction, "approved");
    const command = { ...correction.command, atMs: nowMs };
    const remark = `Asked for by ${correction.by.name} (${correction.by.id})`;
    const applied = await this.#deps.corrections.apply(command, {
      ended,
      entry: ({ before, after }) =>
        this.#entry(who, command, { ...statesOf(before, after), remark }),
    });
    return outcomeOf(applied, ended);
  }

  /** Refuses a correction. The person who asked for it withdraws it in this way. */
  async refuse(who: Corrector, id: string, remark: string): Promise<CorrectionOutcome> {
    const { corrections, ledger, clock } = this.#deps;
    const correction = await this.get(id);
    if (correction === undefined) return refused("missing");
    if (stateAt(correction, clock.nowMs()) !== "waiting") return refused("ended");
    const ended = { ...this.#ended(who, correction, "refused"), remark };
    const entry = this.#entry(who, correction.command, { remark });
    if (!await corrections.put(ended, entry)) return refused("ended");
    const wallet = await ledger.wallet(correction.command.walletId);
    return wallet === undefined
      ? refused("wallet_not_found")
      : { ok: true, correction: ended, wallet };
  }

  async #wait(
    who: Corrector,
    { command, stake, wallet, all }: {
      readonly command: CorrectionCommand;
      readonly stake: Micros;
      readonly wallet: Wallet;
      readonly all: readonly Correction[];
    },
  ): Promise<CorrectionOutcome> {
    const { corrections, clock } = this.#deps;
    const nowMs = clock.nowMs();
    // One that cannot be applied now is refused now, not when somebody approves it.
    const trial = decideCorrection(viewOf(wallet), command);
    if (!trial.ok) return refused(trial.refusal);
    const [waiting, ended] = [
      all.filter((one) => stateAt(one, nowMs) === "waiting"),
      all.filter((one) => stateAt(one, nowMs) !== "waiting" && one.id !== command.opId),
    ];
    if (waiting.length >= WAITING_MAX) return refused("full");
    const former = all.find(({ id }) => id === command.opId)?.version ?? 0;
    const correction: Correction = {
      ...{ id: command.opId, command, stake, state: "waiting", by: personOf(who.actor) },
      ...{ atMs: nowMs, expiresAtMs: nowMs + CORRECTION_LIFE_MS, version: former + 1 },
    };
    const entry = this.#entry(who, command, { remark: "Waits for the approval of another person" });
    const forgotten = ended.slice(ENDED_KEPT - 1).map(({ id }) => id);
    if (await corrections.put(correction, entry, forgotten)) {
      return { ok: true, correction, wallet };
    }
    // The same was asked for at the same time.
    const other = await this.get(command.opId);
    return other !== undefined && isSameCommand(other.command, command)
      ? { ok: true, correction: other, wallet }
      : refused("id_reused");
  }

  #ended(who: Corrector, correction: Correction, state: "approved" | "refused"): Correction {
    const endedAtMs = this.#deps.clock.nowMs();
    const { version } = correction;
    return { ...correction, state, endedBy: personOf(who.actor), endedAtMs, version: version + 1 };
  }

  #entry(
    { author, action, subject }: Corrector,
    command: CorrectionCommand,
    states: object,
  ): TrailDraft {
    const values = loggable(valuesOf(command));
    const atMs = this.#deps.clock.nowMs();
    return { atMs, author, action, stage: "done", subject, values, ...states };
  }
}

function refused(refusal: CorrectionRefusal): CorrectionOutcome {
  return { ok: false, refusal };
}

function outcomeOf(applied: Applied<Wallet>, correction?: Correction): CorrectionOutcome {
  if (!applied.ok) {
    // The record, not the wallet, was changed by somebody else.
    const isEnded = applied.refusal === "overtaken" && correction?.command.kind !== "move" &&
      correction !== undefined;
    return refused(isEnded ? "ended" : applied.refusal);
  }
  return { ok: true, correction, wallet: applied.value };
}

function viewOf(wallet: Wallet): Parameters<typeof decideCorrection>[0] {
  const nothing = () => undefined;
  return { wallet: () => wallet, spend: nothing, hold: nothing, ended: nothing, credit: nothing };
}

function statesOf(before: Wallet, after: Wallet) {
  return differences(walletTexts(before), walletTexts(after));
}

function walletTexts(wallet: Wallet): unknown {
  return loggable(textsOf(wallet));
}

function valuesOf({ atMs: _, keyId, ...command }: CorrectionCommand & { keyId?: string }) {
  // The log takes a field named as a key for a secret.
  return textsOf(keyId === undefined ? command : { ...command, movedKey: keyId });
}

/** Returns the fields of a value with its amounts in credits. */
function textsOf(value: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      typeof field === "bigint" ? formatCredits(field) : field,
    ]),
  );
}
