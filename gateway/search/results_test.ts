import { assert, assertEquals } from "@std/assert";
import type { WebQuery } from "../ports/web_search.ts";
import { boundQuery } from "./bound_query.ts";
import { type FoundPage, resultsOf } from "./results.ts";

function results(
  pages: readonly (Partial<FoundPage> | undefined)[],
  query: Partial<WebQuery> = {},
) {
  const bound = boundQuery({ text: "q", maxResults: 20, ...query });
  assert(typeof bound !== "string");
  const indexes = pages.map((_, at) => at);
  return resultsOf(indexes, bound, (at) => {
    const page = pages[Number(at)];
    return page && { url: "https://a.example/", title: "T", text: "", ...page };
  });
}

Deno.test("resultsOf() takes pages of the web only, each once", () => {
  const urls = [
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "ftp://a.example/",
    "https://user:secret@a.example/",
    "//a.example/",
    "no url",
    `https://a.example/${"x".repeat(3_000)}`,
    `https://a.example/${"é".repeat(1_000)}`,
    "HTTPS://A.example/one",
    "https://a.example/one",
    "http://b.example",
  ];
  assertEquals(results([undefined, ...urls.map((url) => ({ url }))]).map(({ url }) => url), [
    "https://a.example/one",
    "http://b.example/",
  ]);
});

Deno.test("resultsOf() keeps to the domains, their subdomains included", () => {
  const urls = ["https://docs.a.example/", "https://a.example/", "https://evil-a.example/"];
  const kept = results(urls.map((url) => ({ url })), { allowedDomains: ["A.example"] });
  assertEquals(kept.map(({ url }) => url), urls.slice(0, 2));
});

Deno.test("resultsOf() bounds number and texts", () => {
  const pages = Array.from({ length: 5_000 }, (_, at) => ({ url: `https://a.example/${at}` }));
  assertEquals(results(pages).length, 20);
  // Beyond the first hundred nothing is looked at.
  assertEquals(results([...Array(100), ...pages]), []);
  const [one] = results([{ title: "\u0000t".repeat(10_000), text: "x".repeat(10_000) }], {
    contextSize: "low",
  });
  assertEquals([one?.title.length, one?.text.length], [299, 400]);
  assertEquals(results([{ title: "\u0007" }])[0]?.title, "a.example");
});

Deno.test("resultsOf() reads days of any form, where they are days", () => {
  for (
    const [published, day] of [
      ["2026-03-01T23:59:59", "2026-03-01"],
      ["2026-03-01", "2026-03-01"],
      ["Sun, 01 Mar 2026 12:00:00 GMT", "2026-03-01"],
      ["2026-13-45", undefined],
      ["2 days ago or so", undefined],
      ["+275760-09-13T00:00:00.000Z", undefined],
      ["", undefined],
    ] as const
  ) {
    assertEquals(results([{ published }])[0]?.publishedOn, day, published);
  }
});
