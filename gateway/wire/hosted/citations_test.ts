import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type CitationSource, findCitations } from "./citations.ts";

const SOURCES: CitationSource[] = [
  { url: "https://a.test/", title: "A" },
  { fileId: "file_b", filename: "b.md" },
  { url: "https://a.test/deep?q=1&r=(x)", title: "Deep" },
];

/** Returns each citation as its text and the source's number. */
function cited(text: string, sources = SOURCES): string[] {
  return findCitations(sources)(text).map((annotation) => {
    if (annotation.type === "file_citation") return `${annotation.index}:${annotation.file_id}`;
    return `${text.slice(annotation.start_index, annotation.end_index)}:${annotation.title}`;
  });
}

Deno.test("findCitations() reads markers and addresses", () => {
  const cases: [string, string[]][] = [
    ["Yes [1].", ["[1]:A"]],
    ["[1]", ["[1]:A"]],
    ["So [2] it is", ["3:file_b"]],
    ["So 【1】 and【2】", ["【1】:A", "10:file_b"]],
    ["是的[1]。", ["[1]:A"]],
    ["【3†source】", ["【3†source】:Deep"]],
    ["【3†L1-L2】", ["【3†L1-L2】:Deep"]],
    ["Both [1, 2]", ["[1, 2]:A", "5:file_b"]],
    ["Both [1;3]", ["[1;3]:A", "[1;3]:Deep"]],
    ["Twice [1, 1]", ["[1, 1]:A"]],
    ["Row [1][2] [3]", ["[1]:A", "7:file_b", "[3]:Deep"]],
    ["(see)[1]", ["[1]:A"]],
    ["none [0] [4] [99999] [x] [] [1.5] [-1]", []],
    ["some [1, 9]", ["[1, 9]:A"]],
    ["arr[1] a_[1] 9[1] arr[0][1] m[i][1]", []],
    ["`[1]` and ``x ` [1]`` but [1] ` [2]", ["[1]:A", "32:file_b"]],
    ["```js\n[1]\n```\n[1]", ["[1]:A"]],
    ["~~~\n[1]\n```\n[1]\n~~~~\n[1]", ["[1]:A"]],
    ["```\n[1] never closed\n", []],
    ["See https://a.test/.", ["https://a.test/:A"]],
    ["See https://a.test, yes", ["https://a.test:A"]],
    ["<https://a.test/>", ["https://a.test/:A"]],
    ["https://a.test/other https://a.test.evil/ https://a.test/?x", []],
    ["[the page](https://a.test/) says", ["https://a.test/:A"]],
    ["[1](https://a.test/)", ["https://a.test/:A"]],
    ["[1](https://b.test/)", ["[1]:A"]],
    ["[https://a.test](https://a.test/)", ["https://a.test/:A"]],
    ["([x](https://a.test/deep?q=1&r=(x)))", ["https://a.test/deep?q=1&r=(x):Deep"]],
    ["[x](https://a.test/),[y](https://a.test/deep?q=1&r=(x))", [
      "https://a.test/:A",
      "https://a.test/deep?q=1&r=(x):Deep",
    ]],
    ["`https://a.test/`", []],
  ];
  for (const [text, expected] of cases) assertEquals(cited(text), expected, text);
});

Deno.test("findCitations() knows sources that came later; without any there is nothing", () => {
  const sources: CitationSource[] = [];
  const cite = findCitations(sources);
  assertEquals(cite("[1]"), []);
  sources.push({ url: "not an address", title: "T" });
  assertEquals(cite("[1] not an address"), [
    { type: "url_citation", start_index: 0, end_index: 3, url: "not an address", title: "T" },
  ]);
  sources.push({ url: "https://a.test/", title: "first" }, {
    url: "https://a.test",
    title: "second",
  });
  assertEquals(cited("https://a.test/", sources), ["https://a.test/:first"]);
});

Deno.test("findCitations() stops at some hundreds", () => {
  assertEquals(findCitations(SOURCES)("[1] ".repeat(10_000)).length, 400);
  assertEquals(findCitations(SOURCES)("[1, 2] ".repeat(10_000)).length, 400);
});

const fragment = fc.oneof(
  fc.constantFrom(...[
    "[",
    "]",
    "[1",
    "1",
    ", ",
    "【",
    "】",
    "†",
    "`",
    "``",
    "```",
    "\n```\n",
    "~~~\n",
  ]),
  fc.constantFrom(...["[1]", "[2, 3]", "](", ")", "https://a.test/", "https://", "arr", " ", "\n"]),
  fc.string({ unit: "binary", maxLength: 4 }),
);

Deno.test("findCitations() returns places of the text, in order, for any text", () => {
  fc.assert(fc.property(fc.array(fragment, { maxLength: 60 }), (fragments) => {
    const text = fragments.join("");
    let last = 0;
    for (const annotation of findCitations(SOURCES)(text)) {
      const isFile = annotation.type === "file_citation";
      const start = isFile ? annotation.index : annotation.start_index;
      const end = isFile ? start + 1 : annotation.end_index;
      assert(start >= last && end > start && end <= text.length);
      last = start;
      const quoted = text.slice(start, end);
      assert(/^[[【]/.test(quoted) || quoted.startsWith("https://a.test"), quoted);
    }
  }));
});

Deno.test("findCitations() takes any text in linear time", () => {
  // Each of these takes minutes where a mark is looked for again and again.
  const hostile = [
    "[",
    "[1,",
    "[1, 1",
    "【1†",
    "`",
    "` `` ",
    "```\n",
    "~~~ x\n",
    "https://a.test/x",
  ];
  const many = Array.from({ length: 100 }, (_, at) => ({
    url: `https://a.test/${"deep/".repeat(20)}${at}`,
    title: "T",
  }));
  for (const piece of hostile) {
    const text = piece.repeat(400_000 / piece.length);
    assertEquals(findCitations(SOURCES)(text), [], piece);
  }
  assertEquals(findCitations(many)("https://a.test/deep/deep/".repeat(20_000)), []);
  const runs = Array.from({ length: 1_000 }, (_, at) => "`".repeat(at + 1)).join(" [1] ");
  assertEquals(findCitations(SOURCES)(runs).length, 400);
});
