/**
 * Rate limits as decisions: (state, request) -> (state, verdict). Nothing here knows the time.
 *
 * A minute slides in steps of five seconds. What was counted in a step stays counted until the
 * whole step is more than a minute ago, so in no minute, wherever it begins, is more than the limit
 * let through. The price is that a limit recovers up to five seconds late.
 *
 * @module
 */

/** What a limit says of one request. */
export interface LimitVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  /** Left after this request. */
  readonly remaining: number;
  /** Milliseconds until nothing is counted any more. */
  readonly resetMs: number;
  /** Milliseconds until the same request would be let through; 0 where it is. */
  readonly retryAfterMs: number;
}

/** A decision with the state to keep. */
export interface LimitDecision<State> {
  readonly state: State;
  readonly verdict: LimitVerdict;
}

/** What was let through in the last minute, by steps. */
export interface MinuteWindow {
  /** Number of the newest step since the epoch. */
  readonly step: number;
  /** Amounts of the newest step and those before it, newest first; at most {@linkcode STEPS}. */
  readonly counts: readonly number[];
}

/** Length of a step in milliseconds. */
export const STEP_MS = 5_000;
/** Steps that a minute can touch. */
export const STEPS = 13;
/** A window in which nothing was counted. */
export const EMPTY_WINDOW: MinuteWindow = { step: 0, counts: [] };

/** Counts `amount` where the limit for a minute leaves room for it, and nothing where not. */
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

/** What a limit for a minute leaves, and the milliseconds until nothing is counted any more. */
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

/** A change of what was counted. */
export interface Correction {
  /** May be negative; a step never counts less than nothing. */
  readonly delta: number;
  readonly nowMs: number;
  /** When that which is corrected was counted: its step is changed, if still there. @default {nowMs} */
  readonly countedAtMs?: number | undefined;
}

/** The time of what was counted last, for correcting it: not always now, where a clock went back. */
export function newestMs(window: MinuteWindow): number {
  return window.step * STEP_MS;
}

/** Corrects what was counted once the true amount is known. */
export function correctMinute(window: MinuteWindow, correction: Correction): MinuteWindow {
  const { delta, nowMs, countedAtMs } = correction;
  const current = slideTo(window, nowMs);
  const age = countedAtMs === undefined ? 0 : current.step - Math.floor(countedAtMs / STEP_MS);
  return age < 0 || age >= STEPS ? current : addTo(current, delta, age);
}

/** Takes one of the slots for requests under way. The state is the number of slots taken. */
export function takeSlot(taken: number, limit: number): LimitDecision<number> {
  const allowed = taken < limit;
  const state = allowed ? taken + 1 : taken;
  const verdict: LimitVerdict = {
    allowed,
    limit,
    remaining: Math.max(0, limit - state),
    // Nobody knows when a request ends: a second is a fair time to ask again.
    resetMs: state === 0 ? 0 : SLOT_RETRY_MS,
    retryAfterMs: allowed ? 0 : SLOT_RETRY_MS,
  };
  return { state, verdict };
}

/** Gives a slot back. */
export function returnSlot(taken: number): number {
  return Math.max(0, taken - 1);
}

const SLOT_RETRY_MS = 1_000;

/**
 * The window as of now. A clock that went back counts into the newest step; where that lies more than
 * a minute ahead the clock was wrong, and waiting for that time would keep everybody out.
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

/** Time until enough steps have left the window for its sum to be at most `target`. */
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
