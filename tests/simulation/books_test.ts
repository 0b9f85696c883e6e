import { assertEquals } from "@std/assert";
import { ReckonedBooks } from "./books.ts";

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
