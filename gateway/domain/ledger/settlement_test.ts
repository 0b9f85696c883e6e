import { assertEquals, assertExists } from "@std/assert";
import { freezePrice, type Usage } from "./pricing.ts";
import { type CallEnd, type CallEnding, needsCount, settlementOf } from "./settlement.ts";

// 1000 credits a dollar: 250 micro-credits an input token, 25 a cached one, 2000 an output token.
const PRICE = freezePrice(
  {
    inputPerMTok: "0.25",
    cachedInputPerMTok: "0.025",
    outputPerMTok: "2.00",
    perImage: "0.04",
    currency: "USD",
  },
  "1000",
  { version: 3 },
);
assertExists(PRICE);

const ZERO: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
const REPORTED: Usage = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 3 };
const COUNTED = { input: 12, output: 5 };
const REPORTED_COST = 6n * 250n + 4n * 25n + 3n * 2_000n;
const LARGER_COST = 8n * 250n + 4n * 25n + 5n * 2_000n;
const COUNTED_COST = 12n * 250n + 5n * 2_000n;

Deno.test("The table of endings, row by row", () => {
  const rows: [string, CallEnd, bigint, boolean][] = [
    ["finished, reported", { ending: "finished", usage: REPORTED }, REPORTED_COST, false],
    ["finished, zero", { ending: "finished", usage: ZERO, counted: COUNTED }, 0n, false],
    ["finished, counted", { ending: "finished", counted: COUNTED }, COUNTED_COST, true],
    [
      "finished, no output",
      { ending: "finished", counted: { input: 12, output: 0 } },
      3_000n,
      true,
    ],
    ["finished, nothing known", { ending: "finished" }, 0n, true],
    ["failed first", { ending: "failed_before_first_byte", counted: COUNTED }, 0n, false],
    ["failed first, reported", { ending: "failed_before_first_byte", usage: REPORTED }, 0n, false],
    ["nothing", { ending: "nothing_delivered", counted: { input: 12, output: 0 } }, 0n, false],
    [
      "nothing, cut by length",
      { ending: "nothing_delivered", usage: REPORTED },
      REPORTED_COST,
      false,
    ],
    ["cut, reported", { ending: "cut", usage: REPORTED }, REPORTED_COST, false],
    ["cut, the larger", { ending: "cut", usage: REPORTED, counted: COUNTED }, LARGER_COST, true],
    [
      "cut, reported more",
      { ending: "cut", usage: REPORTED, counted: { input: 9, output: 3 } },
      REPORTED_COST,
      false,
    ],
    [
      "cut, reported too early",
      {
        ending: "cut",
        usage: { ...REPORTED, outputTokens: 0 },
        counted: { input: 9, output: 150 },
      },
      6n * 250n + 4n * 25n + 150n * 2_000n,
      true,
    ],
    [
      "cut, reported early and nothing out",
      { ending: "cut", usage: REPORTED, counted: { input: 99, output: 0 } },
      REPORTED_COST,
      false,
    ],
    ["cut, counted", { ending: "cut", counted: COUNTED }, COUNTED_COST, true],
    ["cut, nothing out", { ending: "cut", counted: { input: 12, output: 0 } }, 0n, false],
    ["left, reported", { ending: "client_left", usage: REPORTED }, REPORTED_COST, false],
    ["left, counted", { ending: "client_left", counted: COUNTED }, COUNTED_COST, true],
    ["left, nothing out", { ending: "client_left", counted: { input: 12, output: 0 } }, 0n, false],
    ["left, unknown", { ending: "client_left" }, 0n, false],
  ];
  for (const [name, end, cost, estimated] of rows) {
    const settlement = settlementOf(end, PRICE);
    assertEquals([settlement.cost, settlement.estimated], [cost, estimated], name);
  }
});

Deno.test("Images are charged each, reported or counted", () => {
  const usage = { ...ZERO, images: 2 };
  assertEquals(settlementOf({ ending: "finished", usage }, PRICE).cost, 80_000_000n);
  const counted = { input: 0, output: 0, images: 1 };
  for (const ending of ["finished", "cut"] as CallEnding[]) {
    assertEquals(settlementOf({ ending, counted }, PRICE).cost, 40_000_000n);
  }
});

Deno.test("Input written into the cache is part of the input that was not read from it", () => {
  const usage = {
    inputTokens: 10,
    cachedInputTokens: 4,
    cacheWriteInputTokens: 9,
    outputTokens: 0,
  };
  const settlement = settlementOf({ ending: "finished", usage }, PRICE);
  assertEquals(settlement.usage.cacheWriteInputTokens, 6);
  assertEquals(settlement.cost, 6n * 250n + 4n * 25n);
});

Deno.test("Only the report of a finished call needs no count beside it", () => {
  assertEquals(needsCount({ ending: "finished", usage: REPORTED }), false);
  assertEquals(needsCount({ ending: "finished" }), true);
  assertEquals(needsCount({ ending: "cut", usage: REPORTED }), true);
  assertEquals(needsCount({ ending: "client_left", usage: REPORTED }), true);
  assertEquals(needsCount({ ending: "failed_before_first_byte" }), false);
});

Deno.test("A part of the input is never more than the input", () => {
  const usage = { inputTokens: 10, cachedInputTokens: 99, imageInputTokens: 50, outputTokens: 0 };
  const settlement = settlementOf({ ending: "finished", usage }, PRICE);
  assertEquals(settlement.usage, { ...usage, cachedInputTokens: 10, imageInputTokens: 10 });
  assertEquals(settlement.cost, 250n);
});
