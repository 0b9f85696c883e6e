import { StoreError } from "../../ports/store_error.ts";
import { ROWS_READ_AHEAD } from "./limits.ts";
import { TimeSlices } from "./time_slices.ts";

/** Yields the rows of a selection, and yields to the event loop in between. */
export async function* eachRow<Value>(
  kv: Deno.Kv,
  selector: Deno.KvListSelector,
  options: { readonly reverse?: boolean; readonly limit?: number } = {},
): AsyncGenerator<Deno.KvEntry<Value>, void> {
  const slices = new TimeSlices();
  const batchSize = Math.min(ROWS_READ_AHEAD, options.limit ?? ROWS_READ_AHEAD);
  const rows = kv.list<Value>(selector, { ...options, batchSize });
  for (;;) {
    let step: IteratorResult<Deno.KvEntry<Value>>;
    try {
      step = await rows.next();
    } catch (cause) {
      throw new StoreError("Cannot read the store", { cause });
    }
    if (step.done) return;
    yield step.value;
    await slices.yieldWhenDue();
  }
}
