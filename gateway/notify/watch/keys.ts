import type { KeySpend, NamedSpend } from "../../domain/ledger/ledger.ts";
import { namedSpend } from "../../domain/ledger/state.ts";
import { formatCredits, type Micros, parseCredits } from "../../domain/ledger/money.ts";
import { type Condition, conditionKey } from "../../domain/notices/incident.ts";
import { type KeyRecord, serves } from "../../domain/policy/key.ts";
import { BUDGET_WINDOWS, budgetName, type KeyBudget } from "../../domain/policy/key_budget.ts";
import type { KeyStore } from "../../ports/key_store.ts";
import type { LedgerStore } from "../../ports/ledger_store.ts";

const DAY_MS = 86_400_000;
/** Longest time before its expiry from which a key is about to expire, in milliseconds. */
export const EXPIRY_NOTICE_MS = 7 * DAY_MS;
/** A key is about to expire in the last part of its life: one of so many. */
const LIFE_PARTS = 10;
/** Keys with a shorter life are made for one occasion, as those of the playground. */
const SHORT_LIFE_MS = DAY_MS;

type Window = (typeof BUDGET_WINDOWS)[number];

/** Sources of the state of keys. */
export interface KeySources {
  readonly keys: Pick<KeyStore, "get" | "all" | "copiesOf">;
  readonly ledger: Pick<LedgerStore, "keySpend">;
}

/** Circumstances in which keys are looked at. */
export interface KeyLook {
  readonly nowMs: number;
  /**
   * Keys whose budget did not cover a request, and the names of such requests by
   * {@linkcode nameOfKey}: the window with the smallest rest is used up.
   */
  readonly refused: ReadonlySet<string>;
  /** Names of windows that are used up already, by {@linkcode windowName}. */
  readonly usedUp: ReadonlySet<string>;
}

/** Returns the name of a window of a key's budget. */
export function windowName({ subject, part = "" }: Pick<Condition, "subject" | "part">): string {
  return `${subject} ${part}`;
}

/** Returns the name of a user or a tag of a key. */
export function nameOfKey(keyId: string, name: string): string {
  return `${keyId} ${name}`;
}

/** Returns the conditions of some keys. */
export async function keyConditions(
  ids: Iterable<string>,
  { keys, ledger }: KeySources,
  look: KeyLook,
): Promise<Condition[]> {
  const conditions: Condition[] = [];
  for (const id of ids) {
    const record = await keys.get(id);
    if (record === undefined) continue;
    conditions.push(...conditionsOf(record, await spendOf(record, ledger), look));
  }
  return conditions;
}

/** True when a condition holds for a key that shares its budget, or for its only key. */
export async function holdsForKeys(
  incident: Condition,
  sources: KeySources,
  look: KeyLook,
): Promise<boolean> {
  const name = conditionKey(incident);
  for await (const id of keysOf(incident, sources)) {
    const conditions = await keyConditions([id], sources, look);
    if (conditions.some((condition) => conditionKey(condition) === name)) return true;
  }
  return false;
}

/** Yields the key of which the incident tells, then all of its rotation line. */
async function* keysOf(
  { kind, subject, facts: { key = subject } }: Condition,
  { keys }: KeySources,
): AsyncGenerator<string, void> {
  yield key;
  if (kind === "key_expiring") return;
  const line = [subject];
  for (const id of line) {
    if (id !== key) yield id;
    for await (const copy of keys.copiesOf(id)) line.push(copy.id);
  }
}

/** Yields the conditions of all keys. */
export async function* allKeyConditions(
  { keys, ledger }: KeySources,
  look: KeyLook,
): AsyncGenerator<Condition, void> {
  for await (const { record } of keys.all()) {
    yield* conditionsOf(record, await spendOf(record, ledger), look);
  }
}

/** Keys of a rotation line have one budget; without one nothing is read. */
async function spendOf(
  { id, budgetId = id, policy }: KeyRecord,
  ledger: KeySources["ledger"],
): Promise<KeySpend | undefined> {
  const hasBudget = policy.budget !== undefined || policy.budgets !== undefined;
  return hasBudget ? await ledger.keySpend(budgetId) : undefined;
}

function conditionsOf(
  record: KeyRecord,
  spend: KeySpend | undefined,
  { nowMs, refused, usedUp }: KeyLook,
): Condition[] {
  if (!serves(record, nowMs)) return [];
  const { id, budgetId: line = id } = record;
  const budgets = usesOf(record, spend, nowMs);
  const [least] = budgets
    .filter(({ name }) => name === undefined || refused.has(nameOfKey(id, name)))
    .toSorted((one, other) => one.cap - one.spent < other.cap - other.spent ? -1 : 1);
  const conditions = budgets.flatMap((budget) => {
    const { cap, spent } = budget;
    const isUsedUp = spent >= cap || refused.has(id) && budget === least ||
      usedUp.has(windowName({ subject: line, part: partOf(budget) }));
    return budgetConditions(record, { ...budget, isUsedUp });
  });
  return [...conditions, ...expiryOf(record, nowMs)];
}

/** The use of a window of a budget; `name` is absent for the key's own. */
interface Use {
  readonly name?: string;
  readonly window: Window;
  readonly cap: Micros;
  readonly spent: Micros;
}

/** Returns the part of a condition: the window, and the user or the tag. */
function partOf({ window, name }: Pick<Use, "window" | "name">): string {
  return name === undefined ? window : `${window} ${name}`;
}

/** Returns the use of each budget of a key that is above zero. */
function usesOf({ policy }: KeyRecord, spend: KeySpend | undefined, nowMs: number): Use[] {
  const usesIn = (budget: KeyBudget, name?: string) =>
    BUDGET_WINDOWS.flatMap((window): Use[] => {
      const cap = parseCredits(budget[window] ?? "");
      if (cap === undefined || cap === 0n) return [];
      const use = { window, cap, spent: spentIn(spend, { window, name, nowMs }) };
      return [name === undefined ? use : { ...use, name }];
    });
  const named = (policy.budgets ?? []).flatMap((entry) => usesIn(entry, budgetName(entry)));
  return [...usesIn(policy.budget ?? {}), ...named];
}

/** The keys of a rotation line have one budget, which is one incident under its first key. */
function budgetConditions(
  { id, name, budgetId: subject = id }: KeyRecord,
  { isUsedUp, ...use }: Use & { readonly isUsedUp: boolean },
): Condition[] {
  const { window, cap, spent, name: of } = use;
  if (5n * spent < 4n * cap) return [];
  const [used, budget] = [formatCredits(spent), formatCredits(cap)];
  const percent = String(100n * spent / cap);
  const part = partOf(use);
  const facts = {
    ...{ key: id, name, window, spent: used, budget, percent },
    ...of !== undefined && { of },
  };
  const whose = of === undefined ? "" : ` for ${of}`;
  const text = `Key "${name}" (${id}) has spent ${percent} % of its budget of ${budget} credits ` +
    `(${WINDOW_NAMES[window]})${whose}`;
  const most: Condition = { kind: "key_budget_80", subject, part, text, facts };
  if (!isUsedUp) return [most];
  const which = of === undefined ? "its requests" : "these requests";
  const end = `${text}: ${which} are refused`;
  return [most, { kind: "key_budget_100", subject, part, text: end, facts }];
}

const WINDOW_NAMES: Readonly<Record<Window, string>> = {
  day: "a day",
  month: "a month",
  total: "in total",
};

/** Returns the amount of a window; that of an earlier day or month is over. */
function spentIn(
  spend: KeySpend | undefined,
  { window, name, nowMs }: { window: Window; name: string | undefined; nowMs: number },
): Micros {
  if (spend === undefined) return 0n;
  const sums: NamedSpend = name === undefined ? spend : namedSpend(spend, name);
  const today = new Date(nowMs).toISOString().slice(0, 10);
  if (window === "day") return spend.day === today ? sums.daySpent : 0n;
  if (window === "month") return spend.month === today.slice(0, 7) ? sums.monthSpent : 0n;
  return sums.totalSpent;
}

function expiryOf(
  { id, name, createdAtMs, policy: { expiresAt } }: KeyRecord,
  nowMs: number,
): Condition[] {
  if (expiresAt === undefined) return [];
  const endMs = Date.parse(expiresAt);
  const lifeMs = endMs - createdAtMs;
  if (lifeMs < SHORT_LIFE_MS) return [];
  if (endMs - nowMs > Math.min(EXPIRY_NOTICE_MS, lifeMs / LIFE_PARTS)) return [];
  const text = `Key "${name}" (${id}) expires at ${expiresAt}`;
  return [{
    kind: "key_expiring",
    subject: id,
    text,
    facts: { key: id, name, expires: expiresAt },
  }];
}
