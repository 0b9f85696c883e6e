import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import type { Child } from "@hono/hono/jsx";
import type { Refusal } from "../api.ts";
import type { View } from "../page.ts";
import { DefinitionList, EmptyState, Figures, Panel } from "./blocks.tsx";
import { CopyText } from "./copy_text.tsx";
import { Count, Credits } from "./credits.tsx";
import { creditsOrder, groupedCredits, trimmedCredits } from "./credits_order.ts";
import { type Column, column, endColumn } from "./column.ts";
import { DataTable } from "./data_table.tsx";
import { ChangeForm, CheckField, Field, fieldError, FieldGroup } from "./form.tsx";
import { Confirm } from "./form_page.tsx";
import { CopyButton, ShortId } from "./short_id.tsx";
import { shownMarkup } from "./shown_text.ts";
import { Time } from "./time.tsx";

const HOSTILE = `"><script>alert(1)</script>'&`;
const ESCAPED = "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;";

function view(search = ""): View {
  const url = new URL(`http://127.0.0.1/console/entries${search}`);
  const noCall = () => Promise.reject(new Error("These tests call no API"));
  return {
    base: "/console",
    language: "en",
    theme: "auto",
    url,
    query: url.searchParams,
    nowMs: 0,
    requestId: "req_1",
    actor: undefined,
    signal: new AbortController().signal,
    api: { call: noCall, ask: noCall },
    param: () => "",
    say: (messages) => messages.en,
    load: noCall,
    need: () => {
      throw new Error("Nothing is needed here");
    },
  };
}

async function html(child: Child): Promise<string> {
  return await (<>{child}</>).toString();
}

interface CatalogEntry {
  readonly id: string;
  readonly size: number;
}

const COLUMNS: readonly Column<CatalogEntry>[] = [
  column("Id", ({ id }) => id, { id: "id", isHeader: true, sort: ({ id }) => id }),
  endColumn("Size", ({ size }) => size, { id: "size", sort: ({ size }) => size }),
  column("Plain", () => "-"),
];

function entries(count: number): CatalogEntry[] {
  return Array.from({ length: count }, (_, at) => ({ id: `t${at}`, size: (at * 7) % count }));
}

function table(
  search: string,
  rows: readonly CatalogEntry[],
  more: { cursor?: string | null } = {},
) {
  const props = { caption: "Things", columns: COLUMNS, rows, empty: <p>None</p>, ...more };
  return html(
    <DataTable view={view(search)} href={({ id }) => `/console/entries/${id}`} {...props} />,
  );
}

function ids(text: string): string[] {
  return [...text.matchAll(/<th scope="row"[^>]*><a href="[^"]*">(\w+)</g)].map(([, id = ""]) =>
    id
  );
}

Deno.test("a table is sorted by its query, and its headings lead to the other order", async () => {
  const up = await table("?sort=size&name=x", entries(4));
  assertEquals(ids(up), ["t0", "t3", "t2", "t1"]);
  assertStringIncludes(up, 'aria-sort="ascending"');
  assertStringIncludes(up, 'href="/console/entries?sort=-size&amp;name=x"');
  const down = await table("?sort=-size", entries(4));
  assertEquals(ids(down), ["t1", "t2", "t3", "t0"]);
  for (const odd of ["", "?sort=plain", "?sort=constructor", "?sort=-", "?sort=--size"]) {
    assertEquals(ids(await table(odd, entries(3))), ["t0", "t1", "t2"], odd);
  }
});

Deno.test("a long list comes in pages; a place beyond its end is its start", async () => {
  const first = await table("", entries(120));
  assertEquals(ids(first).length, 50);
  assertStringIncludes(first, "1–50 of 120");
  assertStringIncludes(first, 'href="/console/entries?from=50"');
  const last = await table("?from=100", entries(120));
  assertEquals(ids(last).length, 20);
  assertNotMatch(last, /rel="next"/);
  assertStringIncludes(last, 'href="/console/entries"');
  for (const odd of ["?from=1e9", "?from=-1", "?from=x", "?from=0.5"]) {
    assertEquals(ids(await table(odd, entries(120)))[0], "t0", odd);
  }
});

Deno.test("a list that the API pages keeps its order and leads on by the cursor", async () => {
  const page = await table("?sort=-size", entries(3), { cursor: "7.1" });
  assertEquals(ids(page), ["t0", "t1", "t2"]);
  assertNotMatch(page, /aria-sort|class="sort"/);
  assertStringIncludes(page, "cursor=7.1");
  assertNotMatch(await table("", entries(3), { cursor: null }), /<nav/);
});

Deno.test("an empty list states it, and links back from a later page", async () => {
  assertEquals(await table("", []), "<p>None</p>");
  assertStringIncludes(await table("?from=50", []), 'href="/console/entries"');
});

Deno.test("long ids are short, whole in their title, and copied whole", async () => {
  const long = `req_${"0123456789".repeat(3)}`;
  assertStringIncludes(
    await html(<ShortId id={long} />),
    `title="${long}">req_0123…23456789</code>`,
  );
  assertStringIncludes(await html(<ShortId id="checkout-7f3a91" />), ">checkout-7f3a91</code>");
  const button = await html(<CopyButton view={view()} text={long} what="the request id" />);
  assertStringIncludes(button, `data-copy-text="${long}"`);
  assertStringIncludes(button, 'aria-label="Copy the request id"');
});

Deno.test("text from outside is escaped in every component, as text and as attribute", async () => {
  const refusal: Refusal = { status: 400, code: "x", message: HOSTILE, param: HOSTILE };
  const now = view(`?name=${encodeURIComponent(HOSTILE)}`);
  const all = await Promise.all([
    html(
      <Confirm
        view={now}
        title={HOSTILE}
        warning={HOSTILE}
        submit={HOSTILE}
        cancelHref="/"
        hidden={{ [HOSTILE]: HOSTILE }}
        refusal={refusal}
      />,
    ),
    html(<CopyText view={now} label={HOSTILE} text={HOSTILE} />),
    html(<DefinitionList items={[[HOSTILE, HOSTILE]]} />),
    html(<EmptyState title={HOSTILE} hint={HOSTILE}>{HOSTILE}</EmptyState>),
    html(<Field name="n" label={HOSTILE} value={HOSTILE} hint={HOSTILE} error={HOSTILE} />),
    html(<Field name="n" rows={2} label={HOSTILE} value={HOSTILE} />),
    html(<Field name="n" label="l" options={[HOSTILE]} />),
    html(<CheckField name="n" label={HOSTILE} value={HOSTILE} />),
    html(<FieldGroup legend={HOSTILE}>{HOSTILE}</FieldGroup>),
    html(<Panel title={HOSTILE} actions={HOSTILE}>{HOSTILE}</Panel>),
    html(<Figures items={[{ name: HOSTILE, value: HOSTILE, remark: HOSTILE }]} />),
    html(<Time at={HOSTILE} />),
    html(<Credits amount={HOSTILE} />),
  ]);
  for (const text of all) {
    assertNotMatch(text, /<script/);
    assertStringIncludes(text, "&lt;script&gt;");
  }
  assertStringIncludes(all[1] ?? "", ESCAPED);
});

Deno.test("marks that show as nothing are written out, but for what is edited or taken along", () => {
  const mark = "\u202e";
  const kept = `<a title="${mark}" href="/${mark}">` +
    `<textarea name="a">\n${mark}</textarea><pre tabindex="0"><code>${mark}</code></pre>`;
  assertEquals(
    shownMarkup(`${mark}${kept}${mark}</a>${mark}`),
    [
      `\\u{202e}${kept}`,
      "\\u{202e}</a>",
      "\\u{202e}",
    ].join(""),
  );
  assertEquals(shownMarkup("<p>\n\tplain"), "<p>\n\tplain");
});

Deno.test("a field is linked to its error for screen readers, and a form to its refusal", async () => {
  const refusal: Refusal = { status: 400, code: "x", message: "Too long", param: "policy.name" };
  assertEquals(fieldError(refusal, "policy.name"), "Too long");
  assertEquals(fieldError(refusal, "name"), undefined);
  const field = await html(<Field name="n" label="Name" hint="Short" error="Too long" />);
  assertStringIncludes(field, 'aria-describedby="error-n hint-n"');
  assertStringIncludes(field, 'aria-invalid="true"');
  assertMatch(await html(<ChangeForm refusal={refusal}>x</ChangeForm>), /role="alert">Too long</);
});

Deno.test("credits keep every digit, and sort by what they are", async () => {
  assertEquals(
    ["1234567.000001", "-1234.5", "999", "0.1"].map(groupedCredits),
    ["1,234,567.000001", "-1,234.5", "999", "0.1"],
  );
  const shown = await html(<Credits amount="1234.500000" />);
  assertEquals(shown.replace(/<[^>]+>/g, ""), "1,234.5");
  assertStringIncludes(shown, 'value="1234.500000"');
  assertEquals(
    ["20.000000", "1000", "10.500000", "0.000000", "-2.010000"].map(trimmedCredits),
    ["20", "1,000", "10.5", "0", "-2.01"],
  );
  const amounts = ["10", "-3.5", "9", "0.000001", "100000000000000.000001"];
  assertEquals(
    amounts.toSorted((a, b) => creditsOrder(a) < creditsOrder(b) ? -1 : 1),
    ["-3.5", "0.000001", "9", "10", "100000000000000.000001"],
  );
  assertStringIncludes(await html(<Credits amount="1200.5" />), 'value="1200.5">1,200<');
  assertStringIncludes(await html(<Count value={12_345} unit="ms" />), "12,345");
});
