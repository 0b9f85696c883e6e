import { assertEquals } from "@std/assert";
import { bundlesOf } from "./bundles.ts";
import { jobsOf, parseArguments } from "./mod.ts";

const FILES = [
  "gateway/domain/ledger_test.ts",
  "gateway/domain/limits_test.ts",
  "gateway/vector_stores/a_test.ts",
  "tests/kills/b_test.ts",
];

/** The jobs of a run, by name, with their arguments. */
function jobs(...args: string[]): Record<string, string> {
  const options = parseArguments(args);
  const all = jobsOf(FILES, options, ({ name }) => `<${name}>`);
  return Object.fromEntries(all.map(({ name, args }) => [name, args.join(" ")]));
}

Deno.test("the whole run checks types, runs each bundle, and the examples", () => {
  const test = "test -P --config deno.json --quiet --no-check";
  assertEquals(jobs(), {
    types: "test -P --config deno.json --doc --no-run",
    "tests/kills/b_test.ts": `${test} <tests/kills/b_test.ts>`,
    "gateway/domain": `${test} <gateway/domain>`,
    "gateway/vector_stores/a_test.ts": `${test} <gateway/vector_stores/a_test.ts>`,
    "examples in documentation": `${test} --doc --parallel --ignore=**/*_test.ts,**/*_test.tsx`,
  });
});

Deno.test("without a check of types, and of unit tests alone", () => {
  assertEquals("types" in jobs("--no-check"), false);
  assertEquals(Object.keys(jobs("--unit")), bundlesOf(FILES).map(({ name }) => name));
});

Deno.test("flags are passed on; coverage to the bundles that it is collected from", () => {
  const args = jobs("--coverage=coverage", "--coverage-raw-data-only", "--fail-fast", "--clean");
  assertEquals(
    args["gateway/domain"]?.split(" ").slice(-4),
    ["--coverage=coverage", "--coverage-raw-data-only", "--fail-fast", "<gateway/domain>"],
  );
  assertEquals(args["tests/kills/b_test.ts"]?.split(" ").slice(-2), [
    "--fail-fast",
    "<tests/kills/b_test.ts>",
  ]);
  assertEquals(args["types"], "test -P --config deno.json --doc --no-run --fail-fast");
});

Deno.test("another configuration takes the place of deno.json", () => {
  const args = jobs("--config=deno.jsr.json");
  assertEquals(args["types"], "test -P --doc --no-run --config=deno.jsr.json");
});

Deno.test("words are paths, or values of flags", () => {
  const { words, flags } = parseArguments(["--filter", "ledger", "gateway/domain"]);
  assertEquals([words, flags], [["ledger", "gateway/domain"], ["--filter"]]);
});
