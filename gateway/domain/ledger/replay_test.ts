import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JournalEntry } from "./ledger.ts";
import { emptyBooks, replayEntry } from "./replay.ts";

const OPEN: JournalEntry = { op: "open", wallet: "w", tier: "standard", at: 1 };
const CREDIT: JournalEntry = { op: "credit", id: "c", wallet: "w", amount: 9n, note: "", at: 1 };
const CALL = { wallet: "w", key: "k", log: "l" };
const MODEL = { model: "m", priceVersion: 1 };
const HOLD: JournalEntry = { op: "hold", id: "h", ...CALL, ...MODEL, amount: 5n, at: 1 };
const VOID: JournalEntry = { op: "void", id: "h", ...CALL, held: 5n, reason: "", at: 1 };
const SETTLE: JournalEntry = {
  op: "settle",
  id: "h",
  ...CALL,
  ...MODEL,
  held: 5n,
  charged: 4n,
  writtenOff: 2n,
  inputTokens: 1,
  cachedInputTokens: 0,
  outputTokens: 1,
  estimated: false,
  at: 1,
};

const PROGRESS: JournalEntry = {
  op: "progress",
  id: "h",
  ...CALL,
  cost: 6n,
  inputTokens: 1,
  cachedInputTokens: 0,
  outputTokens: 1,
  at: 1,
};
const EXPIRE: JournalEntry = { ...VOID, op: "expire" };
const RECOVER: JournalEntry = {
  ...SETTLE,
  charged: 5n,
  writtenOff: 1n,
  estimated: true,
  recovered: true,
};

function problemsOf(...entries: JournalEntry[]): string[] {
  const problems: string[] = [];
  const books = emptyBooks(problems);
  for (const entry of entries) replayEntry(books, entry);
  return problems;
}

Deno.test("A journal that adds up has no problems", () => {
  const problems: string[] = [];
  const books = emptyBooks(problems);
  for (const entry of [OPEN, CREDIT, HOLD, SETTLE]) replayEntry(books, entry);
  assertEquals(problems, []);
  const wallet = books.wallets.get("w");
  assertEquals([wallet?.available, wallet?.spent, wallet?.writtenOff], [5n, 4n, 2n]);
});

Deno.test("A crash charges what the last progress came to, and what it wrote off", () => {
  const before = { ...PROGRESS, cost: 2n, outputTokens: 0 };
  assertEquals(problemsOf(OPEN, CREDIT, HOLD, before, PROGRESS, RECOVER), []);
  assertEquals(problemsOf(OPEN, CREDIT, HOLD, PROGRESS, SETTLE), []);
});

Deno.test("Each contradiction in a journal is one problem", () => {
  const rows: [string, JournalEntry[]][] = [
    ["opened twice", [OPEN, OPEN]],
    ["names no wallet", [CREDIT]],
    ["booked twice", [OPEN, CREDIT, CREDIT]],
    ["not above zero", [OPEN, { ...CREDIT, amount: 0n }]],
    ["taken twice", [OPEN, CREDIT, { ...HOLD, amount: 1n }, HOLD]],
    ["taken twice", [OPEN, CREDIT, HOLD, SETTLE, HOLD]],
    ["taken twice", [OPEN, CREDIT, HOLD, VOID, HOLD]],
    ["beyond wallet", [OPEN, HOLD]],
    ["beyond wallet", [OPEN, CREDIT, { ...HOLD, amount: -1n }]],
    ["match an open hold", [OPEN, CREDIT, VOID]],
    ["match an open hold", [OPEN, CREDIT, HOLD, VOID, SETTLE]],
    ["match an open hold", [OPEN, CREDIT, HOLD, { ...VOID, held: 4n }]],
    ["match an open hold", [OPEN, CREDIT, HOLD, { ...VOID, key: "other" }]],
    ["match an open hold", [OPEN, CREDIT, HOLD, { ...SETTLE, charged: 6n }]],
    ["match an open hold", [OPEN, CREDIT, HOLD, { ...SETTLE, charged: -1n }]],
    ["match an open hold", [OPEN, CREDIT, HOLD, { ...SETTLE, writtenOff: -1n }]],
    ["of no open hold", [OPEN, CREDIT, PROGRESS]],
    ["of no open hold", [OPEN, CREDIT, HOLD, { ...PROGRESS, key: "other" }]],
    ["or falls", [OPEN, CREDIT, HOLD, PROGRESS, { ...PROGRESS, cost: 5n }]],
    ["has expired", [OPEN, CREDIT, HOLD, PROGRESS, EXPIRE]],
    ["another charge", [OPEN, CREDIT, HOLD, RECOVER]],
    ["another charge", [OPEN, CREDIT, HOLD, PROGRESS, { ...RECOVER, charged: 4n }]],
    ["another charge", [OPEN, CREDIT, HOLD, PROGRESS, { ...RECOVER, outputTokens: 2 }]],
    ["another charge", [OPEN, CREDIT, HOLD, PROGRESS, { ...RECOVER, estimated: false }]],
  ];
  for (const [problem, entries] of rows) {
    const problems = problemsOf(...entries);
    assertEquals(problems.length, 1, problem);
    assertStringIncludes(problems[0] ?? "", problem);
  }
});
