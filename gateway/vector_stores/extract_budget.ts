/**
 * Bounds what a hostile PDF can take of the thread that reads it, from within: a thread that never
 * yields cannot be ended from without, and what a stream unpacks to lies outside its heap.
 *
 * @module
 */

/** What the thread may take. */
export interface ExtractBudget {
  /** Bytes of one buffer. */
  readonly bufferBytes: number;
  /** Bytes of all buffers that are ever made. */
  readonly totalBytes: number;
  readonly timeMs: number;
}

/** What ran out. */
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
 * Puts a budget on everything that this thread does from now on. Buffers are counted as they are made,
 * and the time is looked at then and whenever somebody asks for it, as a reader of PDF does while it
 * works: once a budget is used up both throw, and go on throwing. Returns what says which ran out.
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
  // What it unpacks is counted by nobody; readers have one of their own for where there is none.
  Reflect.deleteProperty(globalThis, "DecompressionStream");
  Date.now = () => {
    spend(0);
    return now();
  };
  return () => exhausted;
}
