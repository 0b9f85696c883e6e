/**
 * Many deadlines on one timer. Each request has a few that hardly ever pass; a timer of the platform
 * costs as much as reading the request's body.
 *
 * @module
 */

interface Deadline {
  dueMs: number;
  readonly run: () => void;
}

const pending = new Set<Deadline>();
let timer: ReturnType<typeof setTimeout> | undefined;
let timerDueMs = Infinity;

/** Runs a function after so many milliseconds, unless the function returned is called before. */
export function afterMs(ms: number, run: () => void): () => void {
  const deadline = { dueMs: performance.now() + ms, run };
  pending.add(deadline);
  if (deadline.dueMs < timerDueMs) arm(deadline.dueMs);
  return () => {
    if (pending.delete(deadline) && pending.size === 0) disarm();
  };
}

function arm(dueMs: number): void {
  clearTimeout(timer);
  timerDueMs = dueMs;
  timer = setTimeout(pass, Math.max(0, dueMs - performance.now()));
}

function disarm(): void {
  clearTimeout(timer);
  timer = undefined;
  timerDueMs = Infinity;
}

function pass(): void {
  timer = undefined;
  timerDueMs = Infinity;
  const nowMs = performance.now();
  const passed: Deadline[] = [];
  let nextMs = Infinity;
  for (const deadline of pending) {
    // Timers may fire a fraction of a millisecond early.
    if (deadline.dueMs - nowMs < 1) passed.push(deadline);
    else if (deadline.dueMs < nextMs) nextMs = deadline.dueMs;
  }
  if (nextMs !== Infinity) arm(nextMs);
  // Where nothing ran for a while, several are due by now that were set in another order.
  passed.sort((a, b) => a.dueMs - b.dueMs);
  for (const deadline of passed) {
    // One that ran before may have called another off.
    if (pending.delete(deadline)) deadline.run();
  }
}
