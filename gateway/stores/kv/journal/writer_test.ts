import { assert, assertEquals, assertRejects } from "@std/assert";
import { StoreError } from "../../../ports/store_error.ts";
import { LOG_TRIM_BATCH, VALUE_COMMIT_ROWS } from "../limits.ts";
import type { Row } from "../rows.ts";
import { loadBooks, takeOver } from "./load.ts";
import { Writer } from "./writer.ts";

/** Runs a test with a writer on a new database. */
async function withWriter(run: (writer: Writer, kv: Deno.Kv) => Promise<void>): Promise<void> {
  const kv = await Deno.openKv(":memory:");
  const writer = new Writer(kv, await loadBooks(kv, await takeOver(kv, "session")));
  try {
    await run(writer, kv);
  } finally {
    await writer.close();
    kv.close();
  }
}

function write(writer: Writer, key: string): Promise<void> {
  return writer.write([{ key: [key], value: 1, bytes: 1 }]);
}

const BUGS: Readonly<Record<string, (writer: Writer) => Promise<unknown>>> = {
  "before the commit": (writer) =>
    writer.submit((stage) => {
      const line = { bytes: 1, atMs: 1, id: "" };
      stage.appendLog(Object.defineProperty({ ...line, text: "" }, "text", {
        get: () => {
          throw new TypeError("a bug");
        },
      }));
    }),
  "after the commit": (writer) =>
    writer.submit((stage) => {
      stage.write({ key: ["a"], value: 1, bytes: 1 });
      stage.publish = () => {
        throw new TypeError("a bug");
      };
    }),
};

for (const [when, bug] of Object.entries(BUGS)) {
  Deno.test(`Writer: a bug ${when} rejects all that wait, and nothing is written any more`, () =>
    withWriter(async (writer, kv) => {
      assertEquals(writer.health, "ok");
      const broken = bug(writer);
      const sameTurn = write(writer, "same turn");
      await Promise.resolve();
      const nextTurn = write(writer, "next turn");
      const results = await Promise.allSettled([broken, sameTurn, nextTurn]);
      for (const result of results) {
        assert(result.status === "rejected" && result.reason instanceof TypeError);
      }
      assertEquals(writer.health, "lost");
      await assertRejects(() => write(writer, "late"), StoreError, "a bug has stopped");
      assertEquals((await kv.get(["late"])).value, null);
    }));
}

Deno.test("Writer: an exception of a listener stops it, and later writers receive the error", () =>
  withWriter(async (writer) => {
    writer.onCommit = () => {
      throw "a bug";
    };
    await write(writer, "a");
    await assertRejects(() => write(writer, "b"), Error, "a bug");
    assertEquals(writer.health, "lost");
  }));

Deno.test("Writer: closing is not a failure", () =>
  withWriter(async (writer) => {
    await write(writer, "a");
    await writer.close();
    assertEquals(writer.health, "ok");
  }));

Deno.test("Writer: a write during close is refused, and nothing is written afterwards", async () => {
  const kv = await Deno.openKv(":memory:");
  const writer = new Writer(kv, await loadBooks(kv, await takeOver(kv, "session")));
  const closing = writer.close();
  const late = assertRejects(() => write(writer, "late"), StoreError, "it is closed");
  await closing;
  kv.close();
  await late;
});

Deno.test("Writer: a deletion of old log rows fits on top of a burst", async () => {
  await withWriter(async (writer, kv) => {
    const old = (name: string, count: number): Row[] =>
      Array.from({ length: count }, (_, n) => ({ key: [name, n], bytes: 0 }));
    await kv.set(["log", 0], "old");
    await Promise.all([
      ...Array.from({ length: 12 }, (_, n) => writer.write(old(`values ${n}`, VALUE_COMMIT_ROWS))),
      writer.write(old("log", LOG_TRIM_BATCH)),
    ]);
    assertEquals((await kv.get(["log", 0])).value, null);
  });
});
