import { assert, assertEquals } from "@std/assert";
import { testArguments } from "./on_postgres.ts";

Deno.test("every test that is named for PostgreSQL exists", async () => {
  const all = testArguments(["--all"]);
  for (const path of all) await Deno.stat(path);
  const [flag, ...money] = testArguments([]);
  assertEquals(flag, "--parallel");
  assert(money.length > 0 && money.every((path) => all.includes(path)));
});

Deno.test("given paths and flags take the place of the named tests", () => {
  assertEquals(testArguments(["tests/a_test.ts", "--fail-fast"]), [
    "tests/a_test.ts",
    "--fail-fast",
  ]);
});
