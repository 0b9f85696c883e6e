/**
 * Writes pairs of durable commits of one small row each to a store of its own, as the hold and the
 * settlement of a request at least do: `FOLDER`. Reads a line with seconds, writes for so long, and
 * prints the number of pairs and their times as JSON.
 *
 * @module
 */

import { join } from "@std/path";
import { TextLineStream } from "@std/streams";
import { percentile } from "./load.ts";

/** Bytes of one row: about an entry of the journal with its row of the request log. */
const ROW_BYTES = 400;

/** Times of the pairs of one order. */
export interface TimedPairs {
  readonly pairs: number;
  /** Of two commits, one after the other, in milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

if (import.meta.main) {
  const [folder = ""] = Deno.args;
  using kv = await Deno.openKv(join(folder, "yardstick.kv"));
  const row = crypto.getRandomValues(new Uint8Array(ROW_BYTES));
  let number = 0;
  const commit = () => kv.atomic().set(["row", number++], row).commit();
  await commit();
  console.log("ready");
  const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream());
  for await (const line of lines) {
    const times: number[] = [];
    const endMs = performance.now() + Number(line) * 1_000;
    while (performance.now() < endMs) {
      const startMs = performance.now();
      await commit();
      await commit();
      times.push(performance.now() - startMs);
    }
    const [p50Ms, p99Ms] = [percentile(times, 0.5), percentile(times, 0.99)];
    console.log(JSON.stringify({ pairs: times.length, p50Ms, p99Ms } satisfies TimedPairs));
  }
}
