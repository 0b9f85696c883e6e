import { assertEquals } from "@std/assert";
import { modules, packageOf, read } from "./source_files.ts";

/** Removes comments: examples call the loop too. */
function codeOf(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, "");
}

Deno.test("there is one agent loop, and everything that runs tools uses it", async () => {
  const drivers: string[] = [];
  for (const path of await modules()) {
    if (packageOf(path) === "tests" || path.endsWith("_test.ts")) continue;
    if (/\bagentLoop(?:<[^>]*>)?\(/.test(codeOf(await read(path)))) drivers.push(path);
  }
  assertEquals(drivers, [
    "gateway/flows/hosted/hosted_answer.ts",
    "gateway/flows/orchestrate/run_part.ts",
    "sdk/loop/loop.ts",
    "sdk/run/runner.ts",
  ]);
});
