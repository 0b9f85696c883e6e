/**
 * Rate limits as decisions: (state, request) -> (state, verdict). The caller passes the time.
 *
 * A minute slides in steps of five seconds. An amount stays counted until its whole step is more
 * than a minute ago, so no minute, wherever it begins, admits more than the limit. In return a
 * limit recovers up to five seconds late.
 *
 * @module
 */

/** The verdict of a limit on one request. */
export interface LimitVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  /** Remaining amount after this request. */
  readonly remaining: number;
  /** Milliseconds until nothing is counted. */
  readonly resetMs: number;
  /** Milliseconds until the same request would be admitted; 0 when it is. */
  readonly retryAfterMs: number;
}

/** A verdict with the next state. */
export interface LimitDecision<State> {
  readonly state: State;
  readonly verdict: LimitVerdict;
}

/** Amounts admitted in the last minute, by step. */
export interface MinuteWindow {
  /** Number of the newest step since the epoch. */
  readonly step: number;
  /** Amounts of the newest step and earlier ones, newest first; at most {@linkcode STEPS}. */
  readonly counts: readonly number[];
}

/** Length of a step in milliseconds. */
export const STEP_MS = 5_000;
/** Number of steps that a minute can touch. */
export const STEPS = 13;
/** A window without counted amounts. */
export const EMPTY_WINDOW: MinuteWindow = { step: 0, counts: [] };

/** Counts `amount` when it fits into the limit for a minute; otherwise counts nothing. */
export function takeFromMinute(
  window: MinuteWindow,
  request: { readonly amount: number; readonly limit: number; readonly nowMs: number },
): LimitDecision<MinuteWindow> {
  const { amount, limit, nowMs } = request;
  const current = slideTo(window, nowMs);
  const used = sum(current.counts);
  const allowed = used + amount <= limit;
  const state = allowed ? addTo(current, amount) : current;
  return {
    state,
    verdict: {
      allowed,
      limit,
      remaining: Math.max(0, limit - used - (allowed ? amount : 0)),
      resetMs: msUntilAtMost(state, 0, nowMs),
      retryAfterMs: allowed ? 0 : msUntilAtMost(state, limit - amount, nowMs),
    },
  };
}

/** Returns the remainder of a limit for a minute, and the milliseconds until nothing is counted. */
export function minuteNow(
  window: MinuteWindow,
  { limit, nowMs }: { readonly limit: number; readonly nowMs: number },
): Pick<LimitVerdict, "remaining" | "resetMs"> {
  const current = slideTo(window, nowMs);
  return {
    remaining: Math.max(0, limit - sum(current.counts)),
    resetMs: msUntilAtMost(current, 0, nowMs),
  };
}

/** A change of a counted amount. */
export interface Correction {
  /** May be negative; a step never counts less than zero. */
  readonly delta: number;
  readonly nowMs: number;
  /**
   * Time at which the amount was counted; its step changes if it is still in the window.
   * @default {nowMs}
   */
  readonly countedAtMs?: number | undefined;
}

/**
 * Returns the time of the newest step, for a later correction. It is later than now after a clock
 * went back.
 */
export function newestMs(window: MinuteWindow): number {
  return window.step * STEP_MS;
}

/** Corrects a counted amount once the true amount is known. */
export function correctMinute(window: MinuteWindow, correction: Correction): MinuteWindow {
  const { delta, nowMs, countedAtMs } = correction;
  const current = slideTo(window, nowMs);
  const age = countedAtMs === undefined ? 0 : current.step - Math.floor(countedAtMs / STEP_MS);
  return age < 0 || age >= STEPS ? current : addTo(current, delta, age);
}

/** Takes one of the slots for requests in flight. The state is the number of slots in use. */
export function takeSlot(usedSlots: number, limit: number): LimitDecision<number> {
  const allowed = usedSlots < limit;
  const state = allowed ? usedSlots + 1 : usedSlots;
  const verdict: LimitVerdict = {
    allowed,
    limit,
    remaining: Math.max(0, limit - state),
    // The end of a request is unknown: a second is a fair time to retry.
    resetMs: state === 0 ? 0 : SLOT_RETRY_MS,
    retryAfterMs: allowed ? 0 : SLOT_RETRY_MS,
  };
  return { state, verdict };
}

/** Returns a slot. */
export function returnSlot(usedSlots: number): number {
  return Math.max(0, usedSlots - 1);
}

const SLOT_RETRY_MS = 1_000;

/**
 * Returns the window at the present time. After a clock went back, amounts count into the newest
 * step; a step more than a minute ahead came from a wrong clock and is discarded, because waiting
 * for it would lock out every caller.
 */
function slideTo(window: MinuteWindow, nowMs: number): MinuteWindow {
  const now = Math.floor(nowMs / STEP_MS);
  if (window.step - now >= STEPS) return { step: now, counts: [] };
  const step = Math.max(window.step, now);
  const passed = step - window.step;
  if (passed === 0) return window;
  if (passed >= STEPS) return { step, counts: [] };
  const empty = new Array<number>(passed).fill(0);
  return { step, counts: [...empty, ...window.counts].slice(0, STEPS) };
}

function addTo(window: MinuteWindow, amount: number, age = 0): MinuteWindow {
  const counts = [...window.counts];
  while (counts.length <= age) counts.push(0);
  counts[age] = Math.max(0, (counts[age] ?? 0) + amount);
  return { step: window.step, counts };
}

/** Returns the time until enough steps leave the window for its sum to be at most `target`. */
function msUntilAtMost(window: MinuteWindow, target: number, nowMs: number): number {
  let used = sum(window.counts);
  if (used <= Math.max(0, target)) return target < 0 ? STEP_MS * STEPS : 0;
  for (let age = window.counts.length - 1; age >= 0; age--) {
    used -= window.counts[age] ?? 0;
    if (used <= target) return Math.max(1, (window.step - age + STEPS) * STEP_MS - nowMs);
  }
  return STEP_MS * STEPS;
}

function sum(counts: readonly number[]): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
