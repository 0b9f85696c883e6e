import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { bundlesOf, isCovered, isUnitTest, LONGEST, moduleOf, testFiles } from "./bundles.ts";

const ROOT = new URL("../../", import.meta.url);
const FILES = await testFiles(fromFileUrl(ROOT).replace(/\/$/, ""));

Deno.test("every test file is in one bundle, the longest first and unit tests last", () => {
  const bundles = bundlesOf(FILES);
  assertEquals(bundles.flatMap(({ files }) => files).sort(), FILES);
  assertEquals(bundles.slice(0, LONGEST.length).map(({ name }) => name), [...LONGEST]);
  assertEquals(new Set(bundles.map(({ name }) => name)).size, bundles.length);
  const rest = bundles.slice(LONGEST.length).map(({ files }) => files.every(isUnitTest));
  assertEquals(rest, rest.toSorted());
});

Deno.test("after the longest files come the folders that take longest, whole", () => {
  const files = ["tests/bench/a_test.ts", "tests/kills/b_test.ts", "tests/console/c_test.ts"];
  assertEquals(bundlesOf(files).flatMap(({ files }) => files), files.toReversed());
});

Deno.test("a file is found wherever it lies, and nothing else is", () => {
  assert(FILES.includes("tests/suite/bundles_test.ts"));
  assert(FILES.includes("gateway/backup/backup_test.ts"));
  assertEquals(
    FILES.filter((file) => !/^(gateway|lint|links|ops|sdk|tests|tools)\//.test(file)),
    [],
  );
});

Deno.test("a bundle's process has one component, and coverage is of it as a whole or not", () => {
  for (const { name, files } of bundlesOf(FILES)) {
    assertEquals(new Set(files.map(isCovered)).size, 1, name);
    assertEquals(new Set(files.map((file) => file.split("/")[0])).size, 1, name);
  }
});

Deno.test("a bundle is a module that loads its files", () => {
  const bundle = { name: "two", files: ["sdk/a_test.ts", "sdk/b c_test.ts"] };
  assertEquals(
    moduleOf(bundle, "file:///checkout/"),
    'import "file:///checkout/sdk/a_test.ts";\nimport "file:///checkout/sdk/b%20c_test.ts";\n',
  );
});
