import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import type { HoldCommand, JournalEntry } from "../../../domain/ledger/ledger.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { CHECKPOINT_SEGMENTS, RECOVERED_AT_ONCE } from "../limits.ts";
import { type KvStores, openKvStores } from "../open.ts";
import {
  assertRight,
  Disk,
  fund,
  hold,
  NO_WAIT,
  progress,
  RESTARTED_MS,
  row,
} from "./recover_fixture.ts";

async function endsOf({ ledger }: KvStores): Promise<JournalEntry[]> {
  const { entries } = await ledger.statement("w", { limit: 100 });
  return entries.filter(({ op }) => op === "settle" || op === "expire");
}

Deno.test("a start settles what was in flight at its last progress, with a row", async () => {
  await using disk = await Disk.make();
  const first = await disk.open();
  await fund(first);
  for (const id of ["silent", "begun", "beyond"]) await first.ledger.hold(hold(id), NO_WAIT);
  await first.ledger.progress(progress("begun", 4n), () => row("begun"));
  await first.ledger.progress(progress("begun", 7n), () => row("asked for once only"));
  await first.ledger.progress(progress("beyond", 12n), () => row("beyond"));
  assertEquals(await disk.killedRows(), 2);

  const second = await disk.open();
  assertEquals(await second.ledger.openHolds(), []);
  const wallet = await second.ledger.wallet("w");
  assertEquals([wallet?.spent, wallet?.held, wallet?.writtenOff], [17n, 0n, 2n]);
  const ends = (await endsOf(second)).map((entry) =>
    entry.op === "settle"
      ? [entry.id, entry.charged, entry.outputTokens, entry.estimated, entry.recovered, entry.at]
      : [entry.op]
  );
  assertEquals(ends, [
    ["beyond", 10n, 12, true, true, RESTARTED_MS],
    ["begun", 7n, 7, true, true, RESTARTED_MS],
    ["expire"],
  ]);
  const { records } = await second.log.search({ limit: 9 });
  assertEquals(records.length, 2);
  assertEquals(records.at(-1), {
    ...row("begun"),
    ...{ charged: "0.000007", inputTokens: 5, cachedInputTokens: 1, outputTokens: 7 },
    ...{ estimated: true, durationMs: 3_500 },
  });
  assertEquals(await disk.killedRows(), 0);
  await assertRight(second);
});

Deno.test("progress is known to a start that reads the list of open holds, not the journal", async () => {
  await using disk = await Disk.make();
  const first = await disk.open();
  await fund(first);
  await first.ledger.hold(hold("early"), NO_WAIT);
  await first.ledger.progress(progress("early", 4n), () => row("early"));
  for (let n = 0; n < CHECKPOINT_SEGMENTS + 20; n++) {
    await first.ledger.hold(hold(`h${n}`, 1n), NO_WAIT);
  }
  const second = await disk.open();
  assertEquals((await second.ledger.wallet("w"))?.spent, 4n);
  await assertRight(second);
});

Deno.test("a start that is cut short is gone on with, and every hold ends once", async () => {
  await using disk = await Disk.make();
  const first = await disk.open();
  await fund(first);
  const holds = 2 * RECOVERED_AT_ONCE + 5;
  const ids = Array.from({ length: holds }, (_, n) => `h${n}`);
  await Promise.all(ids.map((id) => first.ledger.hold(hold(id), NO_WAIT)));
  const streams = ids.filter((_, n) => n % 3 === 0);
  await Promise.all(streams.map((id) => first.ledger.progress(progress(id, 4n), () => row(id))));
  let starts = 0;
  for (let commits = 1;; commits++) {
    disk.commitsLeft = commits;
    try {
      await disk.open();
      break;
    } catch (error) {
      assert(error instanceof StoreError);
      starts++;
    }
  }
  assert(starts > 2, `${starts} starts were cut short`);
  disk.commitsLeft = Infinity;
  const last = await disk.open();
  assertEquals((await last.ledger.wallet("w"))?.spent, 4n * BigInt(streams.length));
  const ended = (await endsOf(last)).length;
  assertEquals(ended, 100);
  let ends = 0;
  for await (const { op } of last.ledger.entries()) if (op === "settle" || op === "expire") ends++;
  assertEquals(ends, holds);
  assertEquals((await last.log.search({ limit: 9_999 })).records.length, streams.length);
  await assertRight(last);
});

Deno.test("20 000 open holds on a file have ended when a start resolves", async () => {
  const folder = await Deno.makeTempDir();
  const path = join(folder, "svc.kv");
  const holds = 20_000;
  // The first stays open, as if killed, on a database without a file lock.
  let kv: Deno.Kv | undefined;
  const openKv = async (file: string) => {
    kv = await Deno.openKv(file);
    const close = kv.close.bind(kv);
    let hasClosed = false;
    kv.close = () => {
      if (!hasClosed) close();
      hasClosed = true;
    };
    return kv;
  };
  const first = await openKvStores(path, { openKv });
  await fund(first);
  const ids = Array.from({ length: holds }, (_, n) => `h${n}`);
  await Promise.all(ids.map((id) => first.ledger.hold(hold(id), NO_WAIT)));
  const streams = ids.filter((_, n) => n % 4 === 0);
  await Promise.all(streams.map((id) => first.ledger.progress(progress(id, 4n), () => row(id))));
  kv?.close();
  await assertRejects(() => first.settings.set("dead", ""), StoreError);
  await first.close();

  const second = await openKvStores(path);
  assertEquals(await second.ledger.openHolds(), []);
  const wallet = await second.ledger.wallet("w");
  assertEquals([wallet?.held, wallet?.spent], [0n, 4n * BigInt(streams.length)]);
  await assertRight(second);
  await second.close();
  await Deno.remove(folder, { recursive: true });
});

const DAY_MS = 86_400_000;

Deno.test("a clock that jumps while a call is in flight changes neither its charge nor the books", async () => {
  await using disk = await Disk.make();
  const first = await disk.open();
  await fund(first);
  const at = (id: string, atMs: number): HoldCommand => ({
    ...{ ...hold(id), atMs, budget: { day: 25n, total: 25n } },
  });
  await first.ledger.hold(at("jumping", 400 * DAY_MS), NO_WAIT);
  const record = (cost: bigint, atMs: number) =>
    first.ledger.progress({ ...progress("jumping", cost), atMs }, () => row("jumping"));
  // A year forward, then back to before the hold; repeated, and with a lower cost.
  assertEquals((await record(3n, 800 * DAY_MS)).ok, true);
  assertEquals((await record(6n, 2 * DAY_MS)).ok, true);
  assertEquals((await record(6n, 900 * DAY_MS)).ok, true);
  assertEquals(await record(5n, 900 * DAY_MS), { ok: false, refusal: "progress_fell" });

  // The start is before all of that.
  const second = await disk.open();
  const wallet = await second.ledger.wallet("w");
  assertEquals([wallet?.spent, wallet?.held, wallet?.writtenOff], [6n, 0n, 0n]);
  assertEquals((await endsOf(second)).map(({ op, at }) => [op, at]), [["settle", RESTARTED_MS]]);
  const { records: [written] } = await second.log.search({ limit: 1 });
  assertEquals([written?.charged, written?.outputTokens], ["0.000006", 6]);
  // The budget has 19 left, on any day.
  for (const [id, atMs] of [["earlier", 2 * DAY_MS], ["later", 950 * DAY_MS]] as const) {
    const refused = await second.ledger.hold(
      { ...at(id, atMs), amount: 20n, minimum: 20n },
      NO_WAIT,
    );
    assertEquals(refused.ok, false, id);
  }
  await assertRight(second);
});

Deno.test("a call that came to more than its hold is charged the hold, within its budget", async () => {
  await using disk = await Disk.make();
  const first = await disk.open();
  await fund(first, 10n);
  await first.ledger.hold({ ...hold("beyond"), budget: { total: 10n } }, NO_WAIT);
  for (const cost of [11n, 10n ** 15n]) {
    assertEquals(
      (await first.ledger.progress(progress("beyond", cost), () => row("beyond"))).ok,
      true,
    );
  }
  // The wallet has nothing beside the hold, and nothing is charged before the end.
  const before = await first.ledger.wallet("w");
  assertEquals([before?.available, before?.held, before?.spent], [0n, 10n, 0n]);
  const second = await disk.open();
  const after = await second.ledger.wallet("w");
  assertEquals([after?.available, after?.held, after?.spent], [0n, 0n, 10n]);
  assertEquals(after?.writtenOff, 10n ** 15n - 10n);
  const { records: [written] } = await second.log.search({ limit: 1 });
  assertEquals(written?.charged, "0.000010");
  await assertRight(second);
});

Deno.test("two checkpoints of one commit are both there or both not, and the end beats them", async () => {
  for (const isLost of [true, false]) {
    await using disk = await Disk.make();
    const first = await disk.open();
    await fund(first);
    for (const id of ["one", "two"]) await first.ledger.hold(hold(id), NO_WAIT);
    if (isLost) disk.commitsLeft = 0;
    const { settle, progress: keep } = {
      settle: () =>
        first.ledger.settle({ ...progress("two", 2n), kind: "settle", estimated: true }, {
          row: { ...row("two"), outcome: "cut" },
        }),
      progress: (id: string, cost: bigint) =>
        first.ledger.progress(progress(id, cost), () => row(id)),
    };
    // In one turn, so that one commit carries all of them.
    const outcomes = await Promise.allSettled([
      keep("one", 4n),
      keep("two", 8n),
      keep("one", 9n),
      settle(),
      keep("two", 9n),
    ]);
    const statuses = outcomes.map(({ status }) => status);
    if (isLost) assert(statuses.slice(0, 4).every((status) => status === "rejected"));
    else {assertEquals(outcomes.at(-1), {
        status: "fulfilled",
        value: { ok: false, refusal: "hold_ended" },
      });}
    disk.commitsLeft = Infinity;
    const second = await disk.open();
    const wallet = await second.ledger.wallet("w");
    assertEquals([wallet?.spent, wallet?.held], [isLost ? 0n : 11n, 0n]);
    assertEquals(await disk.killedRows(), 0);
    const { records } = await second.log.search({ limit: 9 });
    assertEquals(records.map(({ outcome }) => outcome).sort(), isLost ? [] : ["cut", "killed"]);
    await assertRight(second);
  }
});
