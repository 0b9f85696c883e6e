import { getHeapStatistics } from "node:v8";

/**
 * Returns a check to run on every turn of the event loop: it throws, and so ends this thread, after
 * memory has run out. The platform then interrupts the running code and raises the limit of the
 * heap; if a microtask was running, it neither ends nor reports anything.
 */
export function memoryCheck(): () => void {
  const { heap_size_limit: limitBytes } = getHeapStatistics();
  return () => {
    if (getHeapStatistics().heap_size_limit > limitBytes) {
      throw new Error("The thread has run out of memory");
    }
  };
}
