/** How often the event loop is looked at, in milliseconds. */
const SAMPLE_MS = 250;

/** Tells now and then how late the event loop came to a timer. The function returned ends it. */
export function watchEventLoop(onDelay: (ms: number) => void): () => void {
  let dueMs = performance.now() + SAMPLE_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    onDelay(Math.max(0, nowMs - dueMs));
    dueMs = nowMs + SAMPLE_MS;
  }, SAMPLE_MS);
  return () => clearInterval(timer);
}
