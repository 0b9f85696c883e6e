import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  amount,
  type Column,
  column,
  displayWidth,
  facts,
  id,
  optional,
  table,
  time,
} from "./table.ts";

const COLUMNS: readonly Column<typeof ROWS[number]>[] = [
  column("NAME", "name"),
  amount("CREDITS", "credits"),
  column("NOTE", "note"),
];
const ROWS = [
  { name: "模型网关", credits: "1.000000", note: "short" },
  { name: "team", credits: "1000.000000", note: "a rather long note about this one" },
];

Deno.test("table() aligns by display width, amounts at the right", () => {
  assertEquals(
    table(COLUMNS, ROWS, { width: Infinity, empty: "" }),
    [
      "NAME          CREDITS  NOTE",
      "模型网关     1.000000  short",
      "team      1000.000000  a rather long note about this one",
      "",
    ].join("\n"),
  );
});

Deno.test("table() cuts the widest texts with an ellipsis, never amounts", () => {
  assertEquals(
    table(COLUMNS, ROWS, { width: 35, empty: "" }),
    [
      "NAME          CREDITS  NOTE",
      "模型网关     1.000000  short",
      "team      1000.000000  a rather lo…",
      "",
    ].join("\n"),
  );
  const narrow = table(COLUMNS, ROWS, { width: 10, empty: "" });
  assert(narrow.includes("1000.000000"));
  assert(narrow.includes("模型…"));
});

Deno.test("table() leaves optional columns out, the last first, before it cuts ids", () => {
  const rows = [{ id: "log_0123456789", model: "fast-mini", ms: "420", key: "key_0123456789" }];
  const columns = [
    id("ID", "id"),
    column("MODEL", "model"),
    optional(amount("MS", "ms")),
    optional(id("KEY", "key")),
  ];
  const firstLine = (width: number) => table(columns, rows, { width, empty: "" }).split("\n")[1];
  assertEquals(firstLine(46), "log_0123456789  fast-mini  420  key_0123456789");
  assertEquals(firstLine(45), "log_0123456789  fast-mi…  420  key_0123456789");
  assertEquals(firstLine(42), "log_0123456789  fast-mini  420");
  assertEquals(firstLine(26), "log_0123456789  fast-mini");
  assertEquals(firstLine(22), "log_0123456789  fast-…");
  assertEquals(firstLine(20), "log_0123456…  fast-…");
});

Deno.test("table() fits the page for any content", () => {
  const text = fc.string({ unit: "binary", maxLength: 60 });
  const rows = fc.array(fc.record({ name: text, note: text }), { minLength: 1, maxLength: 3 });
  fc.assert(fc.property(rows, fc.integer({ min: 20, max: 100 }), (rows, width) => {
    const columns = [column("NAME", "name"), column("NOTE", "note")];
    const lines = table(columns, rows, { width, empty: "" }).split("\n");
    assertEquals(lines.length, rows.length + 2);
    for (const line of lines) assert(displayWidth(line) <= width, JSON.stringify(line));
  }));
});

Deno.test("table() shows a message if there are no rows", () => {
  assertEquals(
    table(COLUMNS, [], { width: 80, empty: "There are no wallets" }),
    "There are no wallets\n",
  );
});

Deno.test("table() lets no text steer the terminal", () => {
  const shown = table([column("NAME", "name")], [{ name: "a\u001b[31m\nb\u202ec" }], {
    width: 80,
    empty: "",
  });
  assertEquals(shown, "NAME\na?[31m?b?c\n");
});

Deno.test("facts() puts values under one another", () => {
  assertEquals(facts([["a", "1"], ["long", "2"], ["empty", ""]]), "a      1\nlong   2\nempty\n");
});

Deno.test("time() shows local time to the second, and nothing without a time", () => {
  const column = time("TIME", "at");
  const local = new Date(2026, 10, 21, 8, 5, 3);
  assertEquals(column.cell({ at: local.toISOString() }), "2026-11-21 08:05:03");
  assertEquals(column.cell({ at: null }), "");
});

Deno.test("displayWidth() counts columns", () => {
  const widths = { abc: 3, 模型: 4, "ｆ": 2, "e\u0301": 1, "한글": 4, "🙂": 2, "": 0 };
  for (const [text, width] of Object.entries(widths)) assertEquals(displayWidth(text), width, text);
});
