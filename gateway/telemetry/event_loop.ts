/** Time between two samples of the event loop, in milliseconds. */
const SAMPLE_MS = 250;

/** Reports at intervals how late the event loop ran a timer. The returned function stops it. */
export function watchEventLoop(onDelay: (ms: number) => void): () => void {
  let dueMs = performance.now() + SAMPLE_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    onDelay(Math.max(0, nowMs - dueMs));
    dueMs = nowMs + SAMPLE_MS;
  }, SAMPLE_MS);
  return () => clearInterval(timer);
}
