import type { Condition } from "../domain/notices/incident.ts";
import type { Verification } from "../ports/ledger_store.ts";
import type { NoticeStore } from "../ports/notice_store.ts";
import type { Incidents } from "./incidents.ts";

/** A check that is either an incident or the end of one. */
type Checked = Condition | { readonly over: Condition["kind"]; readonly text: string };

/** Parts of the checks. */
export interface ChecksDeps {
  readonly store: Pick<NoticeStore, "targets">;
  readonly incidents: Incidents;
}

/**
 * Results of checks of the ledger and of backups. A result happens once, and nothing can be looked at
 * again: it stays here until it is in the store.
 */
export class Checks {
  readonly #deps: ChecksDeps;
  /** The last result of each check: an earlier one is out of date. */
  readonly #latest = new Map<Condition["kind"], Checked>();
  #settling: Promise<void> = Promise.resolve();

  constructor(deps: ChecksDeps) {
    this.#deps = deps;
  }

  /** Notes the result of a check of the ledger, or why it ended without one. */
  noteLedger(result: Verification | { readonly failure: string }): void {
    const kind = "ledger_check_failed";
    const text = "failure" in result
      ? `The check of the ledger could not be completed: ${result.failure}`
      : problemText(result);
    const problems = "failure" in result
      ? "unknown"
      : String(result.problems.length + result.moreProblems);
    this.#latest.set(
      kind,
      text === undefined
        ? { over: kind, text: "The ledger was checked again and agrees with its journal" }
        : { kind, subject: "", text, facts: { problems } },
    );
  }

  /** Notes how a backup ended. */
  noteBackup(problem: string | undefined): void {
    const kind = "backup_failed";
    this.#latest.set(
      kind,
      problem === undefined
        ? { over: kind, text: "A backup succeeded again" }
        : { kind, subject: "", text: `A backup failed: ${problem}`, facts: {} },
    );
  }

  /**
   * Begins and ends the incidents of the results. When it resolves they are durable; without a target
   * they wait for the first one. When it rejects, the next call goes on with what is left.
   */
  settle(): Promise<void> {
    const settled = this.#settling.then(() => this.#settleAll());
    this.#settling = settled.catch(() => {});
    return settled;
  }

  async #settleAll(): Promise<void> {
    if (this.#latest.size === 0) return;
    const { store, incidents } = this.#deps;
    const targets = await store.targets();
    if (targets.length === 0) return;
    await incidents.refresh();
    for (const [kind, checked] of this.#latest) {
      if (!("over" in checked)) await incidents.raise(checked, targets);
      else {
        const open = incidents.open.find((incident) => incident.kind === checked.over);
        if (open !== undefined) await incidents.end(open, checked.text, targets);
      }
      // A newer result may have come meanwhile.
      if (this.#latest.get(kind) === checked) this.#latest.delete(kind);
    }
  }
}

/** The first problem of a verification; `undefined` without any. */
function problemText({ problems, moreProblems }: Verification): string | undefined {
  const [first] = problems;
  if (first === undefined) return undefined;
  const more = problems.length - 1 + moreProblems;
  return `The ledger disagrees with its journal: ${first}${more === 0 ? "" : `, and ${more} more`}`;
}
