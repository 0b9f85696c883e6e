import * as ui from "../../components/mod.ts";
import { formatCredits } from "../../../domain/ledger/money.ts";
import type { Entry } from "./answers.ts";

/** A line of a statement: what a change came to in the end. */
export interface StatementLine extends Entry {
  /** Held before it ended; absent where nothing was held. */
  readonly held?: string | undefined;
}

/**
 * A statement's entries as lines: a hold and its end are one, with what is gone for good. A hold stands
 * alone while `isOpen` says that it goes on.
 */
export function linesOf(
  entries: readonly Entry[],
  isOpen: (holdId: string) => boolean,
): readonly StatementLine[] {
  const ended = new Set(entries.flatMap(({ kind, id }) => kind === "hold" || !id ? [] : [id]));
  return entries.flatMap((entry): StatementLine[] => {
    const { kind, id = "" } = entry;
    if (kind === "hold") return !ended.has(id) && isOpen(id) ? [entry] : [];
    if (kind === "settle") return [{ ...entry, change: negated(entry.charged ?? "0") }];
    if (kind === "void" || kind === "expire") return [{ ...entry, change: formatCredits(0n) }];
    return [entry];
  });
}

function negated(amount: string): string {
  return formatCredits(-ui.creditsOrder(amount));
}
