import { getHeapStatistics } from "node:v8";

/**
 * A check to be made whenever the event loop turns: it throws, and so ends this thread, where memory
 * has run out since. The platform then breaks off what runs and raises the limit of the heap, but
 * where what ran was a microtask it ends nothing and tells nobody.
 */
export function memoryCheck(): () => void {
  const { heap_size_limit: limitBytes } = getHeapStatistics();
  return () => {
    if (getHeapStatistics().heap_size_limit > limitBytes) {
      throw new Error("The thread has run out of memory");
    }
  };
}
