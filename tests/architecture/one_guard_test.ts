import { assert, assertEquals } from "@std/assert";
import { files, isCode, read } from "./source_files.ts";

/** The test for a JSON object, in either polarity, over any line breaks. */
const GUARD =
  /typeof (\w+) [!=]== "object"\s+(?:&&|\|\|)\s+\1 [!=]== null\s+(?:&&|\|\|)\s+!?Array\.isArray\(\1\)/;

Deno.test("only isJsonObject tests for a JSON object; all other code calls it", async () => {
  const paths = (await files()).filter((path) => isCode(path) && !path.endsWith("_test.ts"));
  const matches = await Promise.all(
    paths.map(async (path) => GUARD.test(await read(path)) ? [path] : []),
  );
  assertEquals(matches.flat(), ["tools/json.ts"]);
});

Deno.test("a second guard is detected in both polarities", () => {
  assert(GUARD.test('typeof a === "object" && a !== null &&\n  !Array.isArray(a)'));
  assert(GUARD.test('typeof a !== "object" || a === null || Array.isArray(a)'));
  assert(!GUARD.test('typeof a === "object" && a !== null'));
});
