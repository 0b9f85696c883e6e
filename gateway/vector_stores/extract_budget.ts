/**
 * Bounds the resources of the thread that reads a hostile PDF, from within: a thread that never
 * yields cannot be ended from outside, and decompressed streams lie outside its heap.
 *
 * @module
 */

/** Resources of the thread. */
export interface ExtractBudget {
  /** Maximum size of one buffer, in bytes. */
  readonly bufferBytes: number;
  /** Maximum size of all buffers ever created, in bytes. */
  readonly totalBytes: number;
  readonly timeMs: number;
}

/** The exhausted resource. */
export type Exhausted = "memory" | "time";

const BUFFERS = [
  "ArrayBuffer",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int8Array",
  "Uint16Array",
  "Int16Array",
  "Uint32Array",
  "Int32Array",
  "Float32Array",
  "Float64Array",
] as const;

/**
 * Imposes a budget on all further work of this thread. Buffers are counted as they are created; the
 * time is checked then and whenever the time is read, as a PDF reader does while it works. Once a
 * budget is exhausted both throw, and continue to throw. Returns a function that tells the
 * exhausted resource.
 */
export function imposeBudget(budget: ExtractBudget): () => Exhausted | undefined {
  const now = Date.now;
  const deadlineMs = now() + budget.timeMs;
  let total = 0;
  let exhausted: Exhausted | undefined;
  const spend = (bytes: number) => {
    total += bytes;
    if (bytes > budget.bufferBytes || total > budget.totalBytes) exhausted ??= "memory";
    else if (now() > deadlineMs) exhausted ??= "time";
    if (exhausted !== undefined) throw new RangeError(`The file takes too much ${exhausted}`);
  };
  for (const name of BUFFERS) {
    const native = globalThis[name];
    const width = "BYTES_PER_ELEMENT" in native ? native.BYTES_PER_ELEMENT : 1;
    const counted: typeof native = new Proxy(native, {
      construct: (target, values: unknown[], maker): object => {
        const [length] = values;
        if (typeof length === "number") spend(length * width);
        return Reflect.construct(target, values, maker === counted ? target : maker);
      },
    });
    Object.defineProperty(globalThis, name, { value: counted, configurable: true, writable: true });
  }
  // Its output would not be counted; readers bring their own if it is missing.
  Reflect.deleteProperty(globalThis, "DecompressionStream");
  Date.now = () => {
    spend(0);
    return now();
  };
  return () => exhausted;
}
