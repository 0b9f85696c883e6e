/**
 * Books with one error each: the verdict names it. A run over real kills without violations proves
 * something only if these are all detected.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { type AdminApi, Books } from "./books.ts";
import type { Sighting } from "./calls.ts";
import { priceOf, type UpstreamCall } from "./counting_upstream.ts";
import { judge, orphansOf, type Verdict } from "./verdicts.ts";

const HELD = "1.000000";
/** Price of the whole call, and of half of it. */
const [PRICE, HALF] = ["0.030000", "0.020000"];
const STARTS_MS = [1_000, 2_000];

const HOLD = { kind: "hold", at: iso(1_100), id: "h1", key: "key_1", log: "log_1", amount: HELD };
const SETTLE = { ...HOLD, kind: "settle", at: iso(1_200), amount: undefined, charged: PRICE };
const EXPIRE = { ...HOLD, kind: "expire", at: iso(2_100), amount: undefined };
const RECOVER = { ...SETTLE, at: iso(2_100), charged: HALF };
const ROW = { id: "log_1", requestId: "key1/w/1", outcome: "ok", charged: PRICE };
const CALL: UpstreamCall = {
  requestId: "key1/w/1",
  atMs: 1_110,
  inputTokens: 10,
  outputTokens: 10,
  ended: true,
  aborted: false,
};
const SEEN: Sighting = {
  requestId: "key1/w/1",
  ending: "complete",
  status: 200,
  words: 10,
  charged: PRICE,
};

interface Case {
  /** Steps after the first two: the wallet and its credits. */
  readonly steps: readonly object[];
  readonly rows?: readonly object[];
  readonly calls?: readonly UpstreamCall[];
  readonly seen?: readonly Sighting[];
  readonly budgetMicros?: bigint;
}

const WHOLE: Case = { steps: [HOLD, SETTLE], rows: [ROW], calls: [CALL], seen: [SEEN] };
const CUT: Case = { steps: [HOLD, EXPIRE], calls: [{ ...CALL, outputTokens: 5, ended: false }] };

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

async function evidenceOf({ steps, rows = [], calls = [], seen = [], budgetMicros }: Case) {
  const founding = [
    { kind: "open", at: iso(1_000) },
    { kind: "credit", at: iso(1_000), id: "c1", amount: "1.500000" },
  ];
  const answers: Readonly<Record<string, unknown>> = {
    "/requests?limit=500": { requests: rows, cursor: null },
    "/wallets": { wallets: [{ id: "w" }] },
    "/wallets/w/statement?limit=500": {
      entries: [...founding, ...steps].reverse(),
      cursor: null,
    },
  };
  const api: AdminApi = { admin: (_method, path) => Promise.resolve(answers[path]) };
  const books = new Books();
  await books.read(api);
  return {
    ...{ books, calls, callsBefore: calls.length, sightings: seen, startsMs: STARTS_MS },
    budgets: new Map(budgetMicros === undefined ? [] : [["key_1", budgetMicros]]),
    keyIds: new Map([["key1", "key_1"]]),
  };
}

Deno.test("books that are right pass: whole, cut, and charged at a checkpoint", async () => {
  const nothing: Verdict = { overspentMicros: 0n, overspent: [], lost: [], doubled: [] };
  assertEquals(priceOf(CALL), 30_000n);
  const killed = { ...ROW, outcome: "killed", charged: HALF };
  for (
    const [right, orphans] of [
      [WHOLE, 0],
      [CUT, 1],
      [{ ...CUT, steps: [HOLD, RECOVER] }, 1],
      [{ ...CUT, steps: [HOLD, RECOVER], rows: [killed] }, 1],
      [{ ...CUT, steps: [HOLD] }, 0],
      [{ steps: [] }, 0],
    ] as const
  ) {
    const evidence = await evidenceOf(right);
    assertEquals(judge(evidence), nothing);
    assertEquals(orphansOf(evidence).length, orphans);
  }
});

const OTHER_HOLD = { ...HOLD, id: "h2", log: "log_2" };
const WRONG: readonly (readonly [string, keyof Verdict, Case])[] = [
  ["what was seen complete is not in the books", "lost", { ...WHOLE, steps: [HOLD], rows: [] }],
  ["its hold expired", "lost", { ...WHOLE, steps: [HOLD, EXPIRE], rows: [] }],
  ["it was charged less than was billed", "lost", {
    ...WHOLE,
    steps: [HOLD, { ...SETTLE, charged: HALF }],
    rows: [{ ...ROW, charged: HALF }],
  }],
  ["a row without a settlement", "lost", { ...WHOLE, steps: [HOLD] }],
  ["a call without a hold", "lost", { ...CUT, steps: [] }],
  ["an answer without a bill", "lost", { ...WHOLE, seen: [{ ...SEEN, charged: undefined }] }],
  ["who left got more than was charged", "lost", {
    steps: [HOLD, { ...SETTLE, charged: HALF }],
    rows: [{ ...ROW, outcome: "client_left", charged: HALF }],
    calls: [CALL],
    seen: [{ ...SEEN, ending: "left", words: 8, charged: undefined }],
  }],
  ["a hold ended twice", "doubled", { ...WHOLE, steps: [HOLD, SETTLE, EXPIRE] }],
  ["a request has two rows", "doubled", { ...WHOLE, rows: [ROW, { ...ROW, id: "log_2" }] }],
  ["a request went out twice", "doubled", { ...WHOLE, calls: [CALL, CALL] }],
  ["a row has two settlements", "doubled", {
    ...WHOLE,
    steps: [HOLD, SETTLE, { ...OTHER_HOLD, amount: "0.100000" }, {
      ...SETTLE,
      id: "h2",
    }],
  }],
  ["more than the provider counted", "overspent", {
    ...WHOLE,
    calls: [{ ...CALL, outputTokens: 9 }],
  }],
  ["a call that never went out", "overspent", { ...WHOLE, calls: [], seen: [] }],
  ["a killed call at more than was made of it", "overspent", {
    ...CUT,
    steps: [HOLD, { ...RECOVER, charged: PRICE }],
  }],
  ["a killed call that never went out", "overspent", { steps: [HOLD, RECOVER] }],
  ["more than was held", "overspent", { ...WHOLE, steps: [{ ...HOLD, amount: HALF }, SETTLE] }],
  ["more held than there is", "overspent", { steps: [HOLD, OTHER_HOLD] }],
  ["more held than the key's budget", "overspent", { steps: [HOLD], budgetMicros: 900_000n }],
];

for (const [name, accusation, wrong] of WRONG) {
  Deno.test(`the verdict finds what is ${accusation}: ${name}`, async () => {
    const verdict = judge(await evidenceOf(wrong));
    const violations = verdict[accusation];
    assert(typeof violations !== "bigint" && violations.length > 0, Deno.inspect(verdict));
    if (accusation === "overspent") assert(verdict.overspentMicros > 0n);
  });
}
