import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { WebQuery } from "../ports/web_search.ts";
import { createOfflineSearch } from "./offline.ts";

const signal = new AbortController().signal;

async function resultsOf(query: WebQuery) {
  const answer = await createOfflineSearch().search(query, { signal });
  assert(answer.kind === "results");
  return answer.results;
}

Deno.test("The offline search says of every result that it is simulated, and leads nowhere", async () => {
  const results = await resultsOf({ text: "weather\nin Berlin", maxResults: 8 });
  assertEquals(results.length, 8);
  assertEquals(new Set(results.map(({ title, url }) => `${title} ${url}`)).size, 8);
  for (const { text, title, url } of results) {
    assertMatch(title, /^\[offline, simulated\] .*weather in Berlin/);
    assertMatch(text, /simulated.*nothing was looked up/);
    assertEquals(new URL(url).hostname, "example.invalid");
  }
});

Deno.test("The offline search answers the same query alike, and others otherwise", async () => {
  assertEquals(await resultsOf({ text: "a" }), await resultsOf({ text: "a" }));
  assert((await resultsOf({ text: "a" }))[0]?.url !== (await resultsOf({ text: "b" }))[0]?.url);
});

Deno.test("The offline search claims nothing about real domains", async () => {
  assertEquals(await resultsOf({ text: "a", allowedDomains: ["wikipedia.org"] }), []);
  const own = await resultsOf({ text: "a", allowedDomains: ["example.invalid"] });
  assert(own.length > 0);
});

Deno.test("The offline search refuses and stops like any other", async () => {
  const search = createOfflineSearch();
  const message = 'Cannot search with "offline": the query is empty';
  assertEquals(await search.search({ text: "" }, { signal }), {
    kind: "failure",
    outcome: "refused_input",
    message,
  });
  const reason = new Error("gone");
  await assertRejects(
    () => search.search({ text: "a" }, { signal: AbortSignal.abort(reason) }),
    Error,
    "gone",
  );
});
