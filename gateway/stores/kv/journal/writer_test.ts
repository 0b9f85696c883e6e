import { assert, assertEquals, assertRejects } from "@std/assert";
import { setImmediate } from "node:timers";
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

/** Order of an operation and the end of a turn of the event loop that begins with it. */
async function orderOf(run: (note: () => void) => Promise<void>): Promise<readonly string[]> {
  const order: string[] = [];
  const turned = new Promise<void>((resolve) =>
    setImmediate(() => {
      order.push("turn");
      resolve();
    })
  );
  await Promise.all([turned, run(() => order.push("decided"))]);
  return order;
}

function writeNoting(writer: Writer, key: string, note: () => void): Promise<void> {
  return writer.submit((stage) => {
    note();
    stage.write({ key: [key], value: 1, bytes: 1 });
  });
}

Deno.test("Writer: a lone caller's operations are committed at once", () =>
  withWriter(async (writer) => {
    await write(writer, "a");
    const order = await orderOf((note) => writeNoting(writer, "b", note));
    assertEquals(order, ["decided", "turn"]);
  }));

Deno.test("Writer: after a large commit, few operations wait for more of the same turn", () =>
  withWriter(async (writer) => {
    await Promise.all(["a", "b", "c", "d"].map((key) => write(writer, key)));
    const order = await orderOf((note) => writeNoting(writer, "e", note));
    assertEquals(order, ["turn", "decided"]);
    await Promise.all(["a", "b", "c", "d"].map((key) => write(writer, key)));
    const two = await orderOf(async (note) => {
      await Promise.all([write(writer, "e"), writeNoting(writer, "f", note)]);
    });
    assertEquals(two, ["decided", "turn"]);
  }));

Deno.test("Writer: a caller that tries again at once does not stop the event loop", () =>
  withWriter(async (writer) => {
    await write(writer, "a");
    let turned = false;
    setImmediate(() => turned = true);
    for (let tries = 0; tries < 1_000 && !turned; tries++) await writer.submit(() => {});
    assert(turned);
  }));
