import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type ProgressBar, progressBar } from "./progress_bar.ts";
import { displayWidth } from "./table.ts";

interface Screen {
  readonly bar: ProgressBar;
  /** The drawn lines. */
  readonly drawn: string[];
  pass(ms: number): void;
}

function screen(
  columns: number | undefined,
  options: { env?: Record<string, string> } = {},
): Screen {
  const drawn: string[] = [];
  const io = {
    stderr: (text: string) => void drawn.push(text),
    env: options.env ?? { NO_COLOR: "1" },
    progressColumns: columns,
  };
  let ms = 0;
  const bar = progressBar(io, { label: "Verifying", quiet: false, nowMs: () => ms });
  return { bar, drawn, pass: (by) => void (ms += by) };
}

Deno.test("a bar shows how far, how fast and how long", () => {
  const { bar, drawn, pass } = screen(120);
  bar.show(0, 1_000_000);
  pass(2_000);
  bar.show(250_000, 1_000_000);
  pass(50);
  bar.show(260_000, 1_000_000);
  bar.end();
  bar.end();
  assertEquals(drawn, [
    "\r\x1b[KVerifying   0 %  ------------------------          0 of 1,000,000 entries",
    "\r\x1b[KVerifying  25 %  ######------------------    250,000 of 1,000,000 entries" +
    "  125,000/s  6 s left",
    "\r\x1b[K",
  ]);
});

Deno.test("long times are shown in minutes and hours", () => {
  for (const [rate, remaining] of [[1, "28 h left"], [50, "34 min left"]] as const) {
    const { bar, drawn, pass } = screen(120);
    bar.show(0, 100_000);
    pass(1_000);
    bar.show(rate, 100_000);
    assert(drawn[1]?.endsWith(remaining), drawn[1]);
  }
});

Deno.test("a bar is never wider than the terminal", () => {
  for (let columns = 1; columns < 120; columns++) {
    const { bar, drawn, pass } = screen(columns);
    bar.show(0, 1_000_000);
    pass(60_000);
    bar.show(999_999, 1_000_000);
    for (const line of drawn) assert(displayWidth(line.slice(4)) < columns, `${columns}: ${line}`);
  }
});

Deno.test("a bar is coloured unless NO_COLOR is set", () => {
  const coloured = screen(80, { env: { NO_COLOR: "" } });
  coloured.bar.show(1, 2);
  const bar = `\x1b[36m${"#".repeat(12)}\x1b[0m${"-".repeat(12)}`;
  assertStringIncludes(coloured.drawn[0] ?? "", bar);
  const plain = screen(80);
  plain.bar.show(1, 2);
  assertEquals(plain.drawn[0]?.slice(4).includes("\x1b"), false);
});

Deno.test("no terminal, no bar; an empty journal is done", () => {
  const { bar, drawn } = screen(undefined);
  bar.show(1, 2);
  bar.end();
  assertEquals(drawn, []);
  const empty = screen(30);
  empty.bar.show(0, 0);
  assertMatch(empty.drawn[0] ?? "", /Verifying 100 %/);
});
