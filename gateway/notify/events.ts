import type { Condition } from "../domain/notices/incident.ts";
import type { Verification } from "../ports/ledger_store.ts";
import type { RequestRecord } from "../ports/request_log.ts";
import { namesOf } from "../domain/policy/key_budget.ts";
import { nameOfKey } from "./watch/keys.ts";
import { type UpstreamAttempt, UpstreamWatch } from "./watch/upstreams.ts";

/** Maximum number of wallets, and of keys, that wait for a look; beyond it all are looked at. */
export const TOUCHED_MAX = 10_000;

/** A check that is either an incident or the end of one. */
type Checked = Condition | { readonly over: Condition["kind"]; readonly text: string };

/** Changes since the last look. */
export interface Happened {
  readonly wallets: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
  /**
   * Keys whose budget did not cover a request, and the names of such requests, by
   * {@linkcode nameOfKey}.
   */
  readonly refused: ReadonlySet<string>;
  /** True when there was too much to remember. */
  readonly isAll: boolean;
  readonly checked: readonly Checked[];
}

/**
 * The bounded step between requests and notifications: requests only add ids to sets in memory, and
 * nothing at all while there is no target.
 */
export class Events {
  readonly upstreams = new UpstreamWatch();
  #wallets = new Set<string>();
  #keys = new Set<string>();
  #refused = new Set<string>();
  /** The last result of each check: an earlier one is out of date. */
  readonly #checked = new Map<Condition["kind"], Checked>();
  #isAll = false;
  /** False while there is no target: then requests leave no trace. */
  isWanted = false;

  /** Notes a request that has ended. */
  request({ walletId, keyId, errorCode, attribution }: RequestRecord): void {
    if (!this.isWanted) return;
    if (this.#wallets.size >= TOUCHED_MAX || this.#keys.size >= TOUCHED_MAX) {
      this.#isAll = true;
      return;
    }
    this.#wallets.add(walletId);
    this.#keys.add(keyId);
    if (errorCode !== "key_budget_exceeded") return;
    this.#refused.add(keyId);
    for (const name of namesOf(attribution)) this.#refused.add(nameOfKey(keyId, name));
  }

  /** Notes an attempt at an upstream. */
  attempt(attempt: UpstreamAttempt, nowMs: number): void {
    if (this.isWanted) this.upstreams.note(attempt, nowMs);
  }

  /** Notes the result of a check of the ledger, or why it ended without one. */
  ledgerCheck(result: Verification | { readonly failure: string }): void {
    const kind = "ledger_check_failed";
    const text = "failure" in result
      ? `The check of the ledger could not be completed: ${result.failure}`
      : problemText(result);
    const problems = "failure" in result
      ? "unknown"
      : String(result.problems.length + result.moreProblems);
    this.#checked.set(
      kind,
      text === undefined
        ? { over: kind, text: "The ledger was checked again and agrees with its journal" }
        : { kind, subject: "", text, facts: { problems } },
    );
  }

  /** Notes how a backup ended. */
  backup(problem: string | undefined): void {
    const kind = "backup_failed";
    this.#checked.set(
      kind,
      problem === undefined
        ? { over: kind, text: "A backup succeeded again" }
        : { kind, subject: "", text: `A backup failed: ${problem}`, facts: {} },
    );
  }

  /** Returns what happened and begins anew. */
  take(): Happened {
    const happened = {
      ...{ wallets: this.#wallets, keys: this.#keys, refused: this.#refused },
      ...{ isAll: this.#isAll, checked: [...this.#checked.values()] },
    };
    [this.#wallets, this.#keys, this.#refused] = [new Set(), new Set(), new Set()];
    this.#checked.clear();
    this.#isAll = false;
    return happened;
  }

  /** Puts back what could not be looked at, so that the next look includes it. */
  putBack({ wallets, keys, refused, isAll, checked }: Happened): void {
    this.#wallets = this.#wallets.union(wallets);
    this.#keys = this.#keys.union(keys);
    this.#refused = this.#refused.union(refused);
    this.#isAll ||= isAll;
    for (const result of checked) {
      const kind = "over" in result ? result.over : result.kind;
      if (!this.#checked.has(kind)) this.#checked.set(kind, result);
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
