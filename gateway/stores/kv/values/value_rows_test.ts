import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { VALUE_COMMIT_BYTES, VALUE_COMMIT_ROWS } from "../limits.ts";
import type { Row } from "../rows.ts";
import { inCommits, type ValueCopy, ValueRows } from "./value_rows.ts";

const rows = new ValueRows("thing");

function copyOf(size: number, aliases: number): ValueCopy {
  const entry = { size, aliases, aliasBytes: 0, expiresAtMs: 5, about: "" };
  return { name: ["w", "a"], id: "1", entry };
}

Deno.test("inCommits() keeps every row, in order, within the limits, and the last ones together", () => {
  const sizes = fc.array(fc.constantFrom(0, 10, 5_000, 61_440, 2 * VALUE_COMMIT_BYTES), {
    maxLength: 200,
  });
  fc.assert(fc.property(sizes, fc.nat(3), (sizes, lastCount) => {
    const all: Row[] = sizes.map((bytes, n) => ({ key: [n], bytes }));
    const last: Row[] = Array.from(
      { length: lastCount },
      (_, n) => ({ key: ["last", n], bytes: 1 }),
    );
    const commits = [...inCommits(all, last)];
    assertEquals(commits.flat(), [...all, ...last]);
    for (const commit of commits) {
      const some = commit.filter(({ key }) => key[0] !== "last");
      const bytes = some.reduce((sum, row) => sum + row.bytes, 0);
      assert(some.length <= VALUE_COMMIT_ROWS);
      assert(bytes <= VALUE_COMMIT_BYTES || some.length === 1, `${bytes} bytes`);
    }
    for (const row of last) assert(commits.at(-1)?.includes(row));
  }));
});

Deno.test("ValueRows writes what is deleted, the expiry first and the entry last", () => {
  const copy = copyOf(150_000, 2);
  const chunks = new Uint8Array(150_000);
  const aliases = ["x", "\ud800"];
  const keys = (some: Iterable<Row>) => Array.from(some, ({ key }) => key);
  const written = keys([...rows.before(copy, { chunks, aliases }), rows.entry(copy)]);
  const deleted = keys(rows.gone(copy, aliases));
  assertEquals(written.length, 1 + 3 + 2 + 1);
  assertEquals(deleted.toSorted(), written.toSorted());
  assertEquals([written[0], written.at(-1)], [deleted.at(-1), deleted[0]]);
  assertEquals(written[0], ["thing_expiry", 5, "w", "a", "1"]);
  assertEquals(written.at(-1), ["thing", "w", "a", "1"]);
});

Deno.test("ValueRows count long keys for what they take of a commit", () => {
  const short = rows.entryGone(copyOf(0, 0));
  const long = rows.entryGone({ ...copyOf(0, 0), name: ["漢".repeat(256), "a"] });
  assert(long.bytes > short.bytes + 7_000, `${long.bytes}`);
});

Deno.test("ValueRows reads back what its rows lead to", () => {
  const copy = copyOf(10, 1);
  for (
    const row of [rows.entry(copy), ...rows.before(copy, { chunks: new Uint8Array(), aliases: [] })]
  ) {
    if (row.key[0] === "thing_chunk") continue;
    const value = row.value instanceof Uint8Array ? row.value : new Uint8Array();
    assertEquals(rows.copyOf({ key: row.key, value, versionstamp: "1" }), copy);
  }
  const [alias] = [...rows.before(copy, { chunks: new Uint8Array(), aliases: ["x"] })].slice(-1);
  const value = alias?.value instanceof Uint8Array ? alias.value : new Uint8Array();
  const { name, id } = copy;
  assertEquals(rows.aliased({ key: alias?.key ?? [], value, versionstamp: "1" }), { name, id });
});
