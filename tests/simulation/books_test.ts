import { assertEquals } from "@std/assert";
import { ReckonedBooks, type WalletRow } from "./books.ts";

const CALL = { id: "h", wallet: "w", key: "k" };
const BEGUN = [
  { op: "open", wallet: "w", tier: "t" },
  { op: "credit", id: "c", wallet: "w", amount: "100" },
  { op: "hold", ...CALL, amount: "50" },
];

/** Returns the violations of a journal, after the lines that every test begins with. */
function accusations(...lines: readonly Readonly<Record<string, unknown>>[]): string[] {
  const violations: string[] = [];
  const books = new ReckonedBooks((invariant) => void violations.push(invariant));
  const text = ["{}", ...[...BEGUN, ...lines].map((line) => JSON.stringify(line))].join("\n");
  books.land([{ key: ["journal", 1], value: new TextEncoder().encode(text) }]);
  return violations;
}

const progress = (cost: number) => ({ op: "progress", ...CALL, cost: String(cost) });
const recovered = (charged: number, writtenOff = 0) => {
  const amounts = { charged: String(charged), writtenOff: String(writtenOff) };
  return { op: "settle", ...CALL, ...amounts, recovered: true };
};
const AT_THE_LAST = ["a crash charges the last durable checkpoint"];

Deno.test("a crash that charges the last checkpoint is right", () => {
  assertEquals(accusations(progress(3), progress(7), recovered(7)), []);
  assertEquals(accusations(progress(60), recovered(50, 10)), []);
  assertEquals(accusations({ op: "expire", ...CALL }), []);
});

Deno.test("a crash that forgets it, charges another or charges it twice is detected", () => {
  assertEquals(accusations(progress(7), { op: "expire", ...CALL }), AT_THE_LAST);
  assertEquals(accusations(progress(3), progress(7), recovered(3)), AT_THE_LAST);
  assertEquals(accusations(progress(3), progress(7), recovered(10)), AT_THE_LAST);
  assertEquals(accusations(recovered(1)), AT_THE_LAST);
  const twice = accusations(progress(7), recovered(7), recovered(7));
  assertEquals(twice, ["a hold ends at most once"]);
});

Deno.test("progress that falls, or is of no open hold, is detected", () => {
  const expected = ["progress is of an open hold, and never falls"];
  assertEquals(accusations(progress(7), progress(6)), expected);
  assertEquals(accusations({ ...progress(7), id: "other" }), expected);
  assertEquals(accusations(progress(7), recovered(7), progress(8)), expected);
});

/** Returns the violations of lines of corrections, with as many entries of the audit log. */
function correctedBy(...lines: readonly Readonly<Record<string, unknown>>[]): string[] {
  const violations: string[] = [];
  const books = new ReckonedBooks((invariant) => void violations.push(invariant));
  const text = ["{}", ...[...BEGUN.slice(0, 2), ...lines].map((line) => JSON.stringify(line))];
  const value = new TextEncoder().encode(text.join("\n"));
  const corrections = lines.filter(({ op }) => op === "close" || op === "tier");
  books.land([
    { key: ["journal", 1], value },
    ...corrections.map((_, at) => ({ key: ["audit_trail", at], value })),
  ]);
  return violations;
}

const close = { op: "close", id: "c-1", wallet: "w", amount: "100" };
const tier = { op: "tier", id: "t-1", wallet: "w", before: "t", tier: "u" };

Deno.test("a wallet that is closed with credits, or takes anything afterwards, is detected", () => {
  assertEquals(correctedBy(close), []);
  assertEquals(correctedBy({ ...close, amount: "99" }), ["a wallet that closes is empty"]);
  const takesNothing = ["a closed wallet takes nothing"];
  assertEquals(
    correctedBy(close, { op: "credit", id: "d", wallet: "w", amount: "1" }),
    takesNothing,
  );
  assertEquals(correctedBy(close, { op: "hold", ...CALL, amount: "0" }), takesNothing);
  const held = correctedBy({ op: "hold", ...CALL, amount: "1" }, close);
  assertEquals(held, ["a correction takes only what is available"]);
  assertEquals(correctedBy(close, close), [
    ...takesNothing,
    "a correction is made once",
    "a wallet that closes is empty",
    "a correction takes only what is available",
  ]);
});

Deno.test("a change of another tier than the wallet's, or made twice, is detected", () => {
  assertEquals(correctedBy(tier), []);
  const wrong = "a change of the tier is of the tier before";
  assertEquals(correctedBy({ ...tier, before: "v" }), [wrong]);
  assertEquals(correctedBy(tier, tier), ["a correction is made once", wrong]);
});

Deno.test("a row whose tier, or whose end, is not the journal's is detected", () => {
  const accusationsOf = (row: Partial<WalletRow>) => {
    const violations: string[] = [];
    const books = new ReckonedBooks((invariant) => void violations.push(invariant));
    books.append(BEGUN.slice(0, 1).map((line) => JSON.stringify(line)));
    const empty = { credits: 0n, available: 0n, held: 0n, spent: 0n, writtenOff: 0n };
    books.compare({ id: "w", tier: "t", ...empty, ...row });
    return violations;
  };
  const wrong = ["the journal comes to the wallets"];
  assertEquals(accusationsOf({}), []);
  assertEquals(accusationsOf({ tier: "u" }), wrong);
  assertEquals(accusationsOf({ closedAtMs: 1 }), wrong);
});
