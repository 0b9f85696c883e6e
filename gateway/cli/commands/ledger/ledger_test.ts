import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import type { JournalEntry } from "../../../domain/ledger/ledger.ts";
import { assertFailed, withCli } from "../../cli_test_support.ts";
import { OutputClosed } from "../../failures.ts";
import { COLUMNS } from "./ledger_export.ts";

const NDJSON = { headers: { "content-type": "application/x-ndjson" } };

/** A gateway that answers with these lines. */
function answering(...values: unknown[]): { fetch: () => Promise<Response> } {
  const text = values.map((value) => `${JSON.stringify(value)}\n`).join("");
  return { fetch: () => Promise.resolve(new Response(text, NDJSON)) };
}

/** A gateway whose response breaks after these lines. */
function breaking(...values: unknown[]): { fetch: () => Promise<Response> } {
  const encoder = new TextEncoder();
  const lines = values.map((value) => encoder.encode(`${JSON.stringify(value)}\n`));
  const body = () =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        const line = lines.shift();
        if (line === undefined) controller.error(new TypeError("connection reset"));
        else controller.enqueue(line);
      },
    });
  return { fetch: () => Promise.resolve(new Response(body(), NDJSON)) };
}

/** Makes removed lines visible. */
function visible(text: string): string {
  return text.replaceAll("\r\x1b[K", "<erase>");
}

const WRONG = {
  ...{ ok: false, entries: 2, segments: 2, head: "abc", wallets: 1, keys: 0, openHolds: 0 },
  ...{ problems: ['Wallet "team" is opened twice', "A\u001b[2J\u202eB"], moreProblems: 5 },
};
const ENTRY = { place: 1, segment: 1, wallet: "w", kind: "open", at: "2026-11-21T00:00:00.000Z" };
const JOURNAL = { entries: 1, segments: 1, head: "abc" };
const END = { kind: "end", entries: 1, journal: JOURNAL };

Deno.test("svc ledger verify tells whether the books are right, and fails where not", async () => {
  await withCli(async ({ run, json }) => {
    const right = await json("ledger verify");
    assertEquals([right.ok, right.entries, right.problems], [true, 2, []]);
    assertEquals(await run("ledger verify"), {
      code: 0,
      out:
        `entries     2\nsegments    2\nhead        ${right.head}\nwallets     1\nkeys        0\n` +
        "open holds  0\nproblems    0\n",
      err: "",
    });
    const wrong = await run("ledger verify", answering({ result: WRONG }));
    assertEquals([wrong.code, wrong.err], [1, "The journal has errors\n"]);
    assertMatch(wrong.out, /problems +7\nWallet "team" is opened twice\nA\?\[2J\?B\nand 5 more\n$/);
    const asJson = await run("ledger verify --json", answering({ result: WRONG }));
    assertEquals([asJson.code, JSON.parse(asJson.out)], [1, WRONG]);
  });
});

Deno.test("an incomplete verification is not a success", async () => {
  await withCli(async ({ run }) => {
    const progress = { progress: { entries: 1, total: 2 } };
    assertFailed(
      await run("ledger verify", answering(progress)),
      "The verification was interrupted: run it again",
    );
    assertFailed(
      await run("ledger verify", breaking(progress)),
      "The connection to the gateway at http://gateway.test broke: run this again",
    );
    const error = { message: "The store cannot be reached", request_id: "req_1" };
    assertFailed(
      await run("ledger verify", answering(progress, { error })),
      "The store cannot be reached (request req_1)",
    );
    const strange = "The server at http://gateway.test is not the gateway's admin API";
    assertFailed(await run("ledger verify", answering("no object")), strange);
    const page = () => Promise.resolve(new Response("<html>", { status: 200 }));
    assertFailed(await run("ledger verify", { fetch: page }), `${strange} (status 200)`);
  });
});

Deno.test("a verification draws a bar on a terminal's standard error, and takes it away", async () => {
  await withCli(async ({ run }) => {
    const gateway = answering({ progress: { entries: 1, total: 2 } }, { result: WRONG });
    const drawn = await run("ledger verify", { ...gateway, progressColumns: 80 });
    assertMatch(
      visible(drawn.err),
      /^<erase>Verifying {2}50 % .* 1 of 2 entries<erase>The journal has errors\n$/,
    );
    assertEquals(drawn.out.includes("\x1b"), false);
    const again = answering({ progress: { entries: 1, total: 2 } }, { result: WRONG });
    const asJson = await run("ledger verify --json", { ...again, progressColumns: 80 });
    assertEquals(asJson.err, "The journal has errors\n");
  });
});

Deno.test("svc ledger export prints the journal, a line or an element each", async () => {
  await withCli(async ({ run, json }) => {
    const { code, out, err } = await run("ledger export");
    assertEquals([code, err], [0, ""]);
    const lines = out.split("\n");
    assertEquals(lines.pop(), "");
    const rows = lines.map((line) => JSON.parse(line));
    assertEquals(rows.map((row) => row.kind), ["open", "credit", "end"]);
    assertEquals([rows[1].place, rows[1].amount, rows[1].wallet], [2, "100.000000", "team"]);
    const { at: _at, ...end } = rows[2];
    const { at: _later, ...same } = (await json("ledger export")).at(-1);
    assertEquals(same, end);
    const narrowed = await json("ledger export --wallet team --until 2026-01-01T00:00:00Z");
    assertEquals(narrowed.map((row: { kind: string }) => row.kind), ["end"]);
  });
});

Deno.test("svc ledger export writes a file and says what is in it", async () => {
  await withCli(async ({ run, json, files }) => {
    const { file, format, entries, journal } = await json("ledger export -o books.ndjson");
    assertEquals([file, format, entries, journal.entries], ["books.ndjson", "ndjson", 2, 2]);
    assertEquals(files.get("books.ndjson")?.split("\n").length, 4);
    const text = await run("ledger export -o books.csv --format csv");
    assertEquals([text.code, text.err], [0, ""]);
    assertMatch(text.out, /^file +books\.csv\nentries +2\nof +2\nhead +[0-9a-f]{64}\n$/);
    const [header, open, credit, after, ...more] = (files.get("books.csv") ?? "").split("\r\n");
    assertEquals(header, COLUMNS.join(","));
    assertMatch(open ?? "", /^1,1,2026-11-21T12:00:00\.000Z,open,team,0\.000000,.*,standard,{9}$/);
    assertMatch(credit ?? "", /^2,\d,[^,]+,credit,team,100\.000000,100\.000000,/);
    assertEquals([after, more], ["", []]);
    await json("ledger export -o books.json --format json");
    assertEquals(JSON.parse(files.get("books.json") ?? "").length, 3);
  });
});

Deno.test("an export that is cut fails, and leaves no file", async () => {
  await withCli(async ({ run, files }) => {
    const cut = "The export was interrupted before its end: run it again";
    const printed = await run("ledger export", answering(ENTRY));
    assertEquals([printed.code, printed.err], [1, `${cut}\n`]);
    assertFailed(await run("ledger export -o f", answering(ENTRY)), cut);
    assertFailed(await run("ledger export -o f", answering(END)), cut);
    assertFailed(
      await run("ledger export -o f", breaking(ENTRY)),
      "The connection to the gateway at http://gateway.test broke: run this again",
    );
    const array = await run("ledger export --json", answering(ENTRY));
    assertEquals([array.code, array.out.includes("]")], [1, false]);
    assertEquals(files.size, 0);
  });
});

Deno.test("a reader that has enough ends the export in silence, a full disk with a word", async () => {
  await withCli(async ({ run }) => {
    let isLeft = false;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) =>
        controller.enqueue(new TextEncoder().encode(`${JSON.stringify(ENTRY)}\n`)),
      cancel: () => void (isLeft = true),
    });
    let printed = 0;
    const stdout = () => {
      if (++printed > 5) throw new OutputClosed("The reader has closed");
    };
    const fetch = () => Promise.resolve(new Response(body, NDJSON));
    const { code, err } = await run("ledger export", { fetch, stdout });
    assertEquals([code, err, isLeft], [1, "", true]);
  });
});

Deno.test("an export that cannot be is refused with the usage", async () => {
  await withCli(async ({ run }) => {
    const cases: [string, string][] = [
      ["--format xml", 'There is no format "xml": choose ndjson, csv or json'],
      ["--force", "--force replaces a file: name it by --output"],
      ["--json --format csv", "--json prints a JSON document: give --output for --format csv"],
    ];
    for (const [flags, message] of cases) {
      const { code, out, err } = await run(`ledger export ${flags}`);
      assertEquals([code, out], [2, ""]);
      assertStringIncludes(err, `${message}\nUsage: svc ledger export [--since TIME]`);
    }
    assertFailed(
      await run("ledger export --wallet teem"),
      'There is no wallet "teem"; the nearest is "team"',
    );
  });
});

Deno.test("a bar is drawn beside a file or a pipe, not in the midst of what is shown", async () => {
  await withCli(async ({ run }) => {
    const screen = { progressColumns: 60 };
    const piped = await run("ledger export", { ...answering(ENTRY, END), ...screen });
    assertMatch(visible(piped.err), /^<erase>Exporting 100 % .*<erase>$/);
    const terminal = { ...screen, isTerminal: true };
    const shown = await run("ledger export", { ...answering(ENTRY, END), ...terminal });
    assertEquals(shown.err, "");
    const filed = await run("ledger export -o f", { ...answering(ENTRY, END), ...terminal });
    assertStringIncludes(filed.err, "Exporting");
  });
});

Deno.test("the table has a column for every field of every entry, and for nothing else", async () => {
  type Fields<Entry> = Entry extends unknown ? keyof Entry : never;
  type Expected = Exclude<Fields<JournalEntry>, "op"> | "place" | "segment" | "kind" | "change";
  assertType<IsExact<typeof COLUMNS[number], Expected>>(true);
  assertEquals(new Set<string>(COLUMNS).size, COLUMNS.length);
  const progress = { ...ENTRY, kind: "progress", cost: "0.250000", outputTokens: 3 };
  const settle = { ...ENTRY, place: 2, kind: "settle", charged: "0.250000", recovered: true };
  await withCli(async ({ run, files }) => {
    const command = "ledger export -o books.csv --format csv";
    const written = await run(command, answering(progress, settle, { ...END, entries: 2 }));
    assertEquals([written.code, written.err], [0, ""]);
    const [header = "", ...lines] = (files.get("books.csv") ?? "").trimEnd().split("\r\n");
    const cell = (line: string | undefined, name: string) =>
      line?.split(",")[header.split(",").indexOf(name)];
    assertEquals(lines.map((line) => cell(line, "kind")), ["progress", "settle"]);
    assertEquals([cell(lines[0], "cost"), cell(lines[0], "outputTokens")], ["0.250000", "3"]);
    assertEquals([cell(lines[1], "recovered"), cell(lines[1], "charged")], ["true", "0.250000"]);
    assertEquals(lines.map((line) => line.split(",").length), [COLUMNS.length, COLUMNS.length]);
    const later = await run(
      "ledger export -o later.csv --format csv",
      answering({ ...ENTRY, tax: "1.000000" }, END),
    );
    const message =
      'The table has no column "tax", which a later gateway added: export it as ndjson';
    assertFailed(later, message);
    assertEquals(files.has("later.csv"), false);
  });
});
