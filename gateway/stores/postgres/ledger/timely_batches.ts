import { StoreError } from "../../../ports/store_error.ts";
import { type AfterMs, afterMs } from "../../../system/deadlines.ts";
import type { BatchView } from "./batch_view.ts";
import type { Batches, Needs } from "./batches.ts";

/** Maximum wait of an operation for its batch, in milliseconds. */
const WAIT_MS = 10_000;

/**
 * Batches that refuse an operation which has waited too long for the database. It is decided in no
 * batch then: nothing has changed, and nothing will. One that is decided in time has the outcome of
 * its batch, however long that takes.
 */
export class TimelyBatches {
  readonly #batches: Pick<Batches, "submit">;
  readonly #after: AfterMs;

  /** `after` is for tests. */
  constructor(
    batches: Pick<Batches, "submit">,
    { after = afterMs }: { readonly after?: AfterMs } = {},
  ) {
    this.#batches = batches;
    this.#after = after;
  }

  /** Runs an operation in the next transaction; resolves to its result once that is durable. */
  submit<T>(
    needs: Needs,
    decide: (view: BatchView) => T,
    { waitMs = WAIT_MS }: {
      /** @default {10 seconds} */
      readonly waitMs?: number | undefined;
    } = {},
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let state: "waiting" | "decided" | "refused" = "waiting";
    const callOff = this.#after(waitMs, () => {
      if (state !== "waiting") return;
      state = "refused";
      reject(new StoreError(`The database is too slow: a change has waited ${waitMs} ms for it`));
    });
    const done = this.#batches.submit(needs, (view) => {
      if (state === "refused") return undefined;
      state = "decided";
      return { value: decide(view) };
    });
    done.then((result) => {
      if (result !== undefined) resolve(result.value);
    }, reject).finally(callOff);
    return promise;
  }
}
