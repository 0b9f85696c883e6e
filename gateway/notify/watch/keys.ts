import type { KeySpend } from "../../domain/ledger/ledger.ts";
import { formatCredits, type Micros, parseCredits } from "../../domain/ledger/money.ts";
import { type Condition, conditionKey } from "../../domain/notices/incident.ts";
import { type KeyRecord, serves } from "../../domain/policy/key.ts";
import type { KeyStore } from "../../ports/key_store.ts";
import type { LedgerStore } from "../../ports/ledger_store.ts";

const DAY_MS = 86_400_000;
/** Longest time before its expiry from which a key is about to expire, in milliseconds. */
export const EXPIRY_NOTICE_MS = 7 * DAY_MS;
/** A key is about to expire in the last part of its life: one of so many. */
const LIFE_PARTS = 10;
/** Keys with a shorter life are made for one occasion, as those of the playground. */
const SHORT_LIFE_MS = DAY_MS;

const WINDOWS = ["day", "month", "total"] as const;
type Window = (typeof WINDOWS)[number];

/** Sources of the state of keys. */
export interface KeySources {
  readonly keys: Pick<KeyStore, "get" | "all" | "copiesOf">;
  readonly ledger: Pick<LedgerStore, "keySpend">;
}

/** Circumstances in which keys are looked at. */
export interface KeyLook {
  readonly nowMs: number;
  /** Keys whose budget did not cover a request: the window with the smallest rest is used up. */
  readonly refused: ReadonlySet<string>;
  /** Names of windows that are used up already, by {@linkcode windowName}. */
  readonly usedUp: ReadonlySet<string>;
}

/** Returns the name of a window of a key's budget. */
export function windowName({ subject, part = "" }: Pick<Condition, "subject" | "part">): string {
  return `${subject} ${part}`;
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
  return policy.budget === undefined ? undefined : await ledger.keySpend(budgetId);
}

function conditionsOf(
  record: KeyRecord,
  spend: KeySpend | undefined,
  { nowMs, refused, usedUp }: KeyLook,
): Condition[] {
  if (!serves(record, nowMs)) return [];
  const { id, budgetId: line = id } = record;
  const budgets = WINDOWS.flatMap((window) => {
    const cap = capOf(record, window);
    return cap === undefined || cap === 0n
      ? []
      : [{ window, cap, spent: spentIn(spend, window, nowMs) }];
  });
  const [least] = budgets.toSorted((one, other) =>
    one.cap - one.spent < other.cap - other.spent ? -1 : 1
  );
  const conditions = budgets.flatMap((budget) => {
    const { window, cap, spent } = budget;
    const isUsedUp = spent >= cap || refused.has(id) && window === least?.window ||
      usedUp.has(windowName({ subject: line, part: window }));
    return budgetConditions(record, { ...budget, isUsedUp });
  });
  return [...conditions, ...expiryOf(record, nowMs)];
}

/** The keys of a rotation line have one budget, which is one incident under its first key. */
function budgetConditions(
  { id, name, budgetId: subject = id }: KeyRecord,
  { window, cap, spent, isUsedUp }: {
    readonly window: Window;
    readonly cap: Micros;
    readonly spent: Micros;
    readonly isUsedUp: boolean;
  },
): Condition[] {
  if (5n * spent < 4n * cap) return [];
  const [used, budget] = [formatCredits(spent), formatCredits(cap)];
  const percent = String(100n * spent / cap);
  const facts = { key: id, name, window, spent: used, budget, percent };
  const of = `Key "${name}" (${id}) has spent ${percent} % of its budget of ${budget} credits ` +
    `(${WINDOW_NAMES[window]})`;
  const most: Condition = { kind: "key_budget_80", subject, part: window, text: of, facts };
  if (!isUsedUp) return [most];
  const text = `${of}: its requests are refused`;
  return [most, { kind: "key_budget_100", subject, part: window, text, facts }];
}

const WINDOW_NAMES: Readonly<Record<Window, string>> = {
  day: "a day",
  month: "a month",
  total: "in total",
};

function capOf({ policy }: KeyRecord, window: Window): Micros | undefined {
  const text = policy.budget?.[window];
  return text === undefined ? undefined : parseCredits(text);
}

/** Returns the amount of a window; that of an earlier day or month is over. */
function spentIn(spend: KeySpend | undefined, window: Window, nowMs: number): Micros {
  if (spend === undefined) return 0n;
  const today = new Date(nowMs).toISOString().slice(0, 10);
  if (window === "day") return spend.day === today ? spend.daySpent : 0n;
  if (window === "month") return spend.month === today.slice(0, 7) ? spend.monthSpent : 0n;
  return spend.totalSpent;
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
