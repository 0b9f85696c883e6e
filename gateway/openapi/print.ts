/**
 * Prints a description: `deno task openapi` that of the public listener, with `--admin` that of the
 * admin listener.
 *
 * @module
 */

import { documentOf } from "./document.ts";

if (import.meta.main) {
  const listener = Deno.args.includes("--admin") ? "admin" : "public";
  console.log(JSON.stringify(documentOf(listener), null, 2));
}
