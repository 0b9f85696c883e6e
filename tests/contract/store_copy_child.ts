/**
 * A copy in a process of its own, to be killed. It prints a line for each piece.
 *
 * @module
 */

import { copyStore } from "../../gateway/store_copy/copy_store.ts";
import { storePlaceOf } from "../../gateway/system/store_place.ts";
import { FILLED_AT_MS } from "../fixtures/filled_store.ts";

const [from, to] = Deno.args.map((store) => storePlaceOf({ store }));
if (typeof from !== "object" || typeof to !== "object") throw new TypeError("Give two stores");
const encoder = new TextEncoder();
await copyStore({
  ...{ from, to, nowMs: () => FILLED_AT_MS },
  onProgress: (step, done) => void Deno.stdout.writeSync(encoder.encode(`${step}: ${done}\n`)),
});
