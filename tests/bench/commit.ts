import { join } from "@std/path";
import { median } from "./load.ts";

/** Median time of one small durable commit to a store in a folder, in milliseconds. */
export async function commitMs(folder: string, seconds: number): Promise<number> {
  using kv = await Deno.openKv(join(folder, "yardstick.kv"));
  const row = new Uint8Array(400);
  const times: number[] = [];
  const endMs = performance.now() + seconds * 1_000;
  let { versionstamp } = await kv.get(["head"]);
  for (let number = 0; performance.now() < endMs; number++) {
    const startMs = performance.now();
    const result = await kv.atomic()
      .check({ key: ["head"], versionstamp })
      .set(["head"], number)
      .set(["wallet"], number)
      .set(["journal", number], row)
      .commit();
    if (!result.ok) throw new Error("Cannot measure a commit: somebody else writes to its store");
    times.push(performance.now() - startMs);
    versionstamp = result.versionstamp;
  }
  return median(times);
}
