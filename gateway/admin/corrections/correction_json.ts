import type { AnswerOf } from "../../admin_api/operations.ts";
import type { CorrectionCommand } from "../../domain/ledger/correction_types.ts";
import type { Wallet } from "../../domain/ledger/ledger.ts";
import { formatCredits } from "../../domain/ledger/money.ts";
import {
  type Correction,
  type Person,
  personOf,
  stakeOf,
  stateAt,
} from "../../domain/ledger/waiting_correction.ts";
import type { Actor } from "../../domain/operators/operator.ts";
import { creditsOrNull, isoTime, isoTimeOrNull } from "../json_values.ts";

type CorrectionAnswer = AnswerOf<"GET /corrections/{id}">;

/** Returns a correction that waits, or has ended, as the API shows it. */
export function correctionJson(correction: Correction, nowMs: number): CorrectionAnswer {
  const { id, command, stake, by, atMs, expiresAtMs, endedBy, endedAtMs, remark } = correction;
  return {
    ...{ id, kind: command.kind, state: stateAt(correction, nowMs), ...fieldsOf(command) },
    ...{ stake: formatCredits(stake), note: command.note, by: shownPerson(by), at: isoTime(atMs) },
    expiresAt: isoTime(expiresAtMs),
    endedBy: endedBy === undefined ? null : shownPerson(endedBy),
    endedAt: isoTimeOrNull(endedAtMs),
    remark: remark ?? null,
  };
}

/** Returns a correction that was applied at once. */
export function appliedJson(
  command: CorrectionCommand,
  { by: actor, wallet }: { readonly by: Actor; readonly wallet: Wallet },
): CorrectionAnswer {
  const { opId: id, kind, note, atMs } = command;
  const [by, at] = [shownPerson(personOf(actor)), isoTime(atMs)];
  const stake = formatCredits(stakeOf(command, wallet));
  return {
    ...{ id, kind, state: "applied", ...fieldsOf(command), stake, note, by, at },
    ...{ expiresAt: null, endedBy: null, endedAt: null, remark: null },
  };
}

function shownPerson({ kind, id, name }: Person): CorrectionAnswer["by"] {
  return { kind, id, name };
}

function fieldsOf(command: CorrectionCommand) {
  return {
    wallet: command.walletId,
    tier: command.kind === "tier" ? command.tier : null,
    key: command.kind === "move" ? command.keyId : null,
    request: command.kind === "refund" ? command.logId : null,
    expected: creditsOrNull("expected" in command ? command.expected : undefined),
    credits: creditsOrNull(
      "amount" in command
        ? command.amount
        : "counted" in command
        ? command.counted
        : command.kind === "close"
        ? command.expected
        : undefined,
    ),
  };
}
