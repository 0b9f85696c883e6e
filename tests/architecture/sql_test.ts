/** All SQL is in one folder, and every lock that it takes is in one file. */

import { assert, assertEquals } from "@std/assert";
import { isCode, modules, read } from "./source_files.ts";

const FOLDER = "gateway/stores/postgres/";
const LOCKS = `${FOLDER}sql/locks.ts`;
/** The beginning of a statement in a string or a template. */
const STATEMENT =
  /["'`]\s*(?:with \w+ as (?:materialized )?\(|select [\w*(].*\bfrom |insert into |update \w+ set |delete from |(?:create|alter|drop) table )/s;
/** A statement that locks rows, from its table on. */
const ROW_LOCK = /\bfrom (\w+)\b[^`;]*?\bfor (?:no key )?update\b/g;

/** Returns the code of the gateway without its tests, by path. */
async function sources(): Promise<ReadonlyMap<string, string>> {
  const paths = (await modules()).filter((path) =>
    path.startsWith("gateway/") && isCode(path) && !path.endsWith("_test.ts")
  );
  return new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)));
}

/** Returns the strings and templates of a text, one a line, so that no statement spans two of them. */
function strings(code: string): string[] {
  return code.match(/`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g) ?? [];
}

Deno.test("SQL is in the folder of the PostgreSQL store, and nowhere else", async () => {
  const inside: string[] = [];
  const outside: string[] = [];
  for (const [path, code] of await sources()) {
    if (!strings(code).some((text) => STATEMENT.test(text))) continue;
    (path.startsWith(FOLDER) ? inside : outside).push(path);
  }
  assertEquals(outside, []);
  assert(inside.length > 40, `${inside.length}`);
});

Deno.test("one file takes the advisory locks, and names every table whose rows are locked", async () => {
  const all = await sources();
  const list = all.get(LOCKS) ?? "";
  const takers = [...all].filter(([, code]) => code.includes("pg_advisory")).map(([path]) => path);
  assertEquals(takers, [LOCKS]);
  const tables = [...all].filter(([path]) => path.startsWith(FOLDER))
    .flatMap(([, code]) => strings(code))
    .flatMap((text) => [...text.matchAll(ROW_LOCK)].map(([, table = ""]) => table));
  assert(tables.length > 8, tables.join());
  assertEquals(tables.filter((table) => !list.includes(`\`${table}\``)), []);
});

Deno.test("a statement and a lock of rows are detected", () => {
  assert(STATEMENT.test("`\n  select a from b`"));
  assert(STATEMENT.test('"delete from a where true"'));
  assert(!STATEMENT.test('"select a model first"'));
  assertEquals([..."select a from b where c for update".matchAll(ROW_LOCK)].map(([, b]) => b), [
    "b",
  ]);
});
