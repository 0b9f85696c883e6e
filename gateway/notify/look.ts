/**
 * Looks at what may have changed and at the incidents that have not ended.
 *
 * @module
 */

import {
  type Condition,
  type Incident,
  isSeenByOthers,
  sightsOf,
} from "../domain/notices/incident.ts";
import type { NoticeTarget } from "../domain/notices/target.ts";
import type { Clock } from "../ports/clock.ts";
import type { Events, Happened } from "./events.ts";
import type { Incidents } from "./incidents.ts";
import {
  allKeyConditions,
  holdsForKeys,
  keyConditions,
  type KeySources,
  windowName,
} from "./watch/keys.ts";
import { allWalletConditions, walletConditions, type WalletSources } from "./watch/wallets.ts";

/** Sources of everything that can be an incident. */
export interface Sources extends WalletSources, KeySources {
  readonly ledger: WalletSources["ledger"] & KeySources["ledger"];
  /** Returns the ids of the upstreams of the catalog in force. */
  readonly upstreams: () => ReadonlySet<string>;
}

/** Parts of a look. */
export interface LookDeps {
  readonly sources: Sources;
  readonly incidents: Incidents;
  readonly events: Events;
  readonly clock: Clock;
  readonly instance: string;
}

/** Begins the incidents of what happened since the last look. */
export async function lookAtNews(
  deps: LookDeps,
  happened: Happened,
  targets: readonly NoticeTarget[],
): Promise<void> {
  const { sources, incidents, events, clock } = deps;
  const nowMs = clock.nowMs();
  const { refused } = happened;
  const usedUp = usedUpIn(incidents.open);
  const conditions = [
    ...events.upstreams.conditions(sources.upstreams(), nowMs),
    ...await walletConditions(happened.wallets, sources),
    ...await keyConditions(happened.keys, sources, { nowMs, refused, usedUp }),
  ];
  await raiseAll(conditions, incidents, targets);
}

/** Begins the incidents of all wallets and keys: of those that no request has touched, too. */
export async function lookAtAll(
  { sources, incidents, clock }: LookDeps,
  targets: readonly NoticeTarget[],
): Promise<void> {
  for await (const condition of allWalletConditions(sources)) {
    await raiseAll([condition], incidents, targets);
  }
  const ofKeys: Condition[] = [];
  const look = { nowMs: clock.nowMs(), refused: NONE, usedUp: usedUpIn(incidents.open) };
  for await (const condition of allKeyConditions(sources, look)) ofKeys.push(condition);
  await raiseAll(ofKeys, incidents, targets);
}

/** Ends the incidents whose condition holds no longer. */
export async function lookAtOpen(
  deps: LookDeps,
  targets: readonly NoticeTarget[],
): Promise<void> {
  const { incidents } = deps;
  const usedUp = usedUpIn(incidents.open);
  for (const incident of incidents.open) {
    const endText = await endOf(incident, deps, usedUp);
    if (endText !== undefined) await incidents.end(incident, endText, targets);
  }
}

async function endOf(
  incident: Incident,
  deps: LookDeps,
  usedUp: ReadonlySet<string>,
): Promise<string | undefined> {
  const { sources, clock } = deps;
  switch (incident.kind) {
    case "wallet_low":
      return await walletEnd(incident, sources);
    case "key_budget_80":
    case "key_budget_100":
    case "key_expiring": {
      const look = { nowMs: clock.nowMs(), refused: NONE, usedUp };
      if (await holdsForKeys(incident, sources, look)) return undefined;
      return await keyEnd(incident, sources);
    }
    case "upstream_down":
    case "upstream_refused":
      return await upstreamEnd(incident, deps);
    // The next check, or the next backup, ends them.
    case "ledger_check_failed":
    case "backup_failed":
      return undefined;
  }
}

async function walletEnd(
  { subject }: Incident,
  sources: WalletSources,
): Promise<string | undefined> {
  const [condition] = await walletConditions([subject], sources);
  if (condition !== undefined) return undefined;
  const isClosed = (await sources.ledger.wallet(subject))?.closedAtMs !== undefined;
  return `Wallet "${subject}" ${isClosed ? "is closed" : "has credits again"}`;
}

/** An incident is over when no instance sees it; one that sees it no longer says so. */
async function upstreamEnd(
  incident: Incident,
  { sources, incidents, events, clock, instance }: LookDeps,
): Promise<string | undefined> {
  const nowMs = clock.nowMs();
  const endText = events.upstreams.endOf(incident, { upstreams: sources.upstreams(), nowMs });
  if (endText === undefined) return undefined;
  if (!isSeenByOthers(incident, { instance, nowMs })) return endText;
  if (sightsOf(incident)[instance] !== undefined) await incidents.sightOf(incident, false);
  return undefined;
}

async function keyEnd(
  { kind, subject, facts: { key = subject, name = "" } }: Incident,
  { keys }: KeySources,
): Promise<string> {
  const record = await keys.get(key);
  const named = `Key "${record?.name ?? name}" (${key})`;
  if (record === undefined || record.status !== "active") return `${named} is no longer in use`;
  return kind === "key_expiring" ? `${named} has expired` : `${named} has budget again`;
}

/** Begins incidents; a budget that is used up is not one at 80 % besides. */
async function raiseAll(
  conditions: readonly Condition[],
  incidents: Incidents,
  targets: readonly NoticeTarget[],
): Promise<void> {
  const full = new Set(
    conditions.filter(({ kind }) => kind === "key_budget_100").map(windowName),
  );
  for (const condition of conditions) {
    if (condition.kind === "key_budget_80" && full.has(windowName(condition))) continue;
    await incidents.raise(condition, targets);
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Budgets with an incident of being used up: it lasts while most of the budget is spent. */
function usedUpIn(open: readonly Incident[]): ReadonlySet<string> {
  return new Set(open.filter(({ kind }) => kind === "key_budget_100").map(windowName));
}
