import { assertEquals, assertRejects } from "@std/assert";
import { StoreError } from "../../../ports/store_error.ts";
import { assertRight, Disk, fund, hold, NO_WAIT, progress, row } from "./recover_fixture.ts";

Deno.test("calls of one request that were in flight at once share its row", async () => {
  await using disk = await Disk.make();
  const first = await disk.open();
  await fund(first);
  for (const id of ["one", "two", "quiet"]) {
    await first.ledger.hold({ ...hold(id), logId: "log_both" }, NO_WAIT);
  }
  const both = { ...row("both"), holdIds: ["one", "two", "quiet"] };
  await first.ledger.progress(progress("one", 4n), () => both);
  await first.ledger.progress({ ...progress("two", 7n), atMs: 4_500 }, () => both);

  const second = await disk.open();
  assertEquals((await second.ledger.wallet("w"))?.spent, 11n);
  const { records } = await second.log.search({ limit: 9 });
  assertEquals(records, [{
    ...both,
    ...{ charged: "0.000011", inputTokens: 10, cachedInputTokens: 2, outputTokens: 11 },
    ...{ estimated: true, durationMs: 4_000 },
  }]);
  assertEquals(await disk.killedRows(), 0);
  await assertRight(second);
});

Deno.test("however a call ends, nothing of its progress stays behind", async () => {
  await using disk = await Disk.make();
  const first = await disk.open();
  await fund(first);
  const tokens = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false };
  for (const id of ["a", "b", "c"]) {
    await first.ledger.hold(hold(id), NO_WAIT);
    const noted = first.ledger.progress(progress(id, 4n), () => row(id));
    // One ends in the same commit in which its checkpoint becomes durable.
    if (id !== "c") await noted;
    const end = { holdId: id, atMs: 2 };
    const own = { ...row(id), outcome: "cut" } as const;
    if (id !== "b") {
      await first.ledger.settle({ kind: "settle", cost: 9n, ...tokens, ...end }, { row: own });
      continue;
    }
    await first.ledger.voidHold({ kind: "void", reason: "test", ...end });
    await first.log.append(own);
  }
  assertEquals(await disk.killedRows(), 0);
  const late = await first.ledger.progress(progress("a", 20n), () => row("a"));
  assertEquals(late, { ok: false, refusal: "hold_ended" });
  assertEquals(await disk.killedRows(), 0);
  const second = await disk.open();
  assertEquals((await second.ledger.wallet("w"))?.spent, 18n);
  const { records } = await second.log.search({ limit: 9 });
  assertEquals(records.map(({ outcome }) => outcome), ["cut", "cut", "cut"]);
  await assertRight(second);
});

Deno.test("a request that was killed between two of its calls has a row for the first", async () => {
  await using disk = await Disk.make();
  const first = await disk.open();
  await fund(first);
  const tokens = { inputTokens: 2, cachedInputTokens: 0, outputTokens: 1, estimated: false };
  const ending = { kind: "settle", cost: 3n, ...tokens, atMs: 2 } as const;
  for (const id of ["goes on", "over"]) {
    await first.ledger.hold(hold(id), NO_WAIT);
    await first.ledger.settle({ ...ending, holdId: id }, { killedRow: row(id) });
  }
  // A repeat leaves nothing where the row itself has been written.
  await first.log.append({ ...row("over"), outcome: "ok" });
  await first.ledger.settle({ ...ending, holdId: "over" }, { killedRow: row("over") });
  assertEquals(await disk.killedRows(), 1);
  const second = await disk.open();
  const { records } = await second.log.search({ limit: 9 });
  const sum = { charged: "0.000003", inputTokens: 2, cachedInputTokens: 0, outputTokens: 1 };
  assertEquals(records, [{ ...row("goes on"), ...sum }, { ...row("over"), outcome: "ok" }]);
  assertEquals(await disk.killedRows(), 0);
  await assertRight(second);
  const third = await disk.open();
  assertEquals((await third.log.search({ limit: 9 })).records.length, 2);
});

for (const isLanded of [false, true]) {
  const how = isLanded ? "lands late is counted once" : "never lands is not counted";
  Deno.test(`the row of a killed request: a settlement that failed and ${how}`, async () => {
    await using disk = await Disk.make();
    const first = await disk.open();
    await fund(first);
    const ids = ["plan", "failing", "other", "open"];
    for (const id of ids) await first.ledger.hold({ ...hold(id), logId: "log_all" }, NO_WAIT);
    // The request reports the sum of all its calls, as if all had been settled.
    const all = { ...row("all"), holdIds: ids, charged: "9.000000", inputTokens: 99 };
    const settle = (holdId: string, cost: bigint) => {
      const tokens = { inputTokens: 1, cachedInputTokens: 0, outputTokens: Number(cost) };
      const ending = { kind: "settle", holdId, cost, ...tokens, estimated: holdId === "other" };
      return first.ledger.settle({ ...ending, kind: "settle", atMs: 2 }, { killedRow: all });
    };
    await settle("plan", 1n);
    disk.commitsLeft = 0;
    await assertRejects(() => settle("failing", 2n), StoreError);
    disk.commitsLeft = Infinity;
    await settle("other", 4n);
    if (isLanded) { for (const _ of [1, 2]) await settle("failing", 2n); }
    await first.ledger.progress(progress("open", 8n), () => all);

    const second = await disk.open();
    const [charged, inputTokens, outputTokens] = isLanded
      ? ["0.000015", 8, 15]
      : ["0.000013", 7, 13];
    assertEquals((await second.log.search({ limit: 9 })).records, [{
      ...{ ...all, charged, inputTokens, outputTokens, cachedInputTokens: 1 },
      ...{ estimated: true, durationMs: 3_500 },
    }]);
    assertEquals((await second.ledger.wallet("w"))?.spent, isLanded ? 15n : 13n);
    await assertRight(second);
  });
}
