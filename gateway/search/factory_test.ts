import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { KeyedSearchConfig, SearchConfig } from "../domain/catalog/catalog.ts";
import type { WebQuery } from "../ports/web_search.ts";
import { createWebSearch } from "./factory.ts";

const BRAVE: KeyedSearchConfig = {
  kind: "brave",
  baseUrl: "https://api.search.brave.com/",
  apiKey: "BSA-operator-key",
  pricePerSearch: "0.005",
};
const QUERY: WebQuery = {
  text: "what is new?",
  maxResults: 4,
  allowedDomains: ["docs.example", "b.example"],
  userLocation: { country: "us", city: "New York", region: "NY", timezone: "America/New_York" },
};
const signal = new AbortController().signal;

/** Searches with this configuration. Returns the requests and the result. */
async function ask(
  config: SearchConfig,
  options: { answer?: () => Response; env?: Record<string, string>; query?: WebQuery } = {},
) {
  const sent: Request[] = [];
  const search = createWebSearch(config, {
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    env: (name) => options.env?.[name],
    fetch: (input, init) => {
      sent.push(new Request(input, init));
      assertEquals(init?.redirect, "manual");
      return Promise.resolve(options.answer?.() ?? Response.json({}));
    },
  });
  const answer = await search.search(options.query ?? QUERY, { signal });
  return { id: search.id, sent: sent[0], answer };
}

Deno.test("Brave is asked by GET, with the key, the place and the domains", async () => {
  const { id, sent } = await ask(BRAVE);
  assertEquals(id, "brave");
  const url = new URL(sent?.url ?? "");
  assertEquals([sent?.method, url.origin + url.pathname], [
    "GET",
    "https://api.search.brave.com/res/v1/web/search",
  ]);
  assertEquals(Object.fromEntries(url.searchParams), {
    q: "what is new?",
    count: "4",
    result_filter: "web",
    text_decorations: "false",
    goggles: "$discard\n$site=docs.example\n$site=b.example",
  });
  const names = ["x-subscription-token", "country", "city", "state-name", "timezone"];
  assertEquals(
    names.map((name) => sent?.headers.get(name.startsWith("x-") ? name : `x-loc-${name}`)),
    ["BSA-operator-key", "US", "New York", "NY", "America/New_York"],
  );
});

Deno.test("Tavily is asked by POST, at the depth that costs one credit", async () => {
  const { id, sent } = await ask({ ...BRAVE, kind: "tavily", baseUrl: "https://api.tavily.com" });
  assertEquals([id, sent?.method, sent?.url], ["tavily", "POST", "https://api.tavily.com/search"]);
  assertEquals(sent?.headers.get("authorization"), "Bearer BSA-operator-key");
  assertEquals(sent?.headers.get("content-type"), "application/json");
  assertEquals(await sent?.json(), {
    query: "what is new?",
    search_depth: "basic",
    max_results: 4,
    include_domains: ["docs.example", "b.example"],
  });
});

Deno.test("SearXNG is asked for JSON, below any path, without a key", async () => {
  const config: SearchConfig = {
    kind: "searxng",
    baseUrl: "http://127.0.0.1:8080/searx/",
    pricePerSearch: "0",
  };
  for (
    const [allowedDomains, q] of [
      [undefined, "what is new?"],
      [["docs.example"], "what is new? site:docs.example"],
      [["docs.example", "b.example"], "what is new? (site:docs.example OR site:b.example)"],
    ] as const
  ) {
    const { id, sent } = await ask(config, { query: { text: QUERY.text, allowedDomains } });
    const url = new URL(sent?.url ?? "");
    assertEquals([id, url.pathname], ["searxng", "/searx/search"]);
    assertEquals(Object.fromEntries(url.searchParams), { q, format: "json" });
  }
});

Deno.test("The offline search sends nothing", async () => {
  const { answer, id, sent } = await ask({ kind: "offline", pricePerSearch: "0" });
  assertEquals([id, sent, answer.kind], ["offline", undefined, "results"]);
});

Deno.test("A key comes from its variable; without a usable one nothing is sent", async () => {
  const { apiKey: _, ...keyless } = BRAVE;
  const config = { ...keyless, apiKeyEnv: "BRAVE_API_KEY" };
  const { sent } = await ask(config, { env: { BRAVE_API_KEY: "from-file\n" } });
  assertEquals(sent?.headers.get("x-subscription-token"), "from-file");
  for (const value of [undefined, "", "clé-secrète", "two\nlines"]) {
    const { answer, sent } = await ask(config, {
      env: value === undefined ? {} : { BRAVE_API_KEY: value },
    });
    assert(answer.kind === "failure");
    assertEquals([answer.outcome, sent], ["refused_credentials", undefined]);
    assertStringIncludes(answer.message, "the environment variable BRAVE_API_KEY");
    assert(!value || !answer.message.includes(value));
  }
  const { answer } = await ask(keyless);
  assert(answer.kind === "failure");
  assertStringIncludes(answer.message, "the configuration");
});

Deno.test("A query that cannot be asked is refused before anything is sent", async () => {
  const { answer, sent } = await ask(BRAVE, { query: { text: "" } });
  assert(answer.kind === "failure");
  assertEquals([answer.outcome, sent], ["refused_input", undefined]);
});

Deno.test("a caller's abort reason is passed on, also before the request is sent", async () => {
  const search = createWebSearch(BRAVE, {
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    env: () => undefined,
    fetch: () => Promise.reject(new Error("must not be called")),
  });
  const aborted = AbortSignal.abort(new Error("the caller left"));
  await assertRejects(() => search.search(QUERY, { signal: aborted }), Error, "the caller left");
});

Deno.test("a thrown value that is not an error is a bug and is rethrown", async () => {
  const search = createWebSearch(BRAVE, {
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
    env: () => undefined,
    fetch: () => Promise.reject("a string"),
  });
  const thrown = await search.search(QUERY, { signal }).catch((error: unknown) => error);
  assertEquals(thrown, "a string");
});

/** The failure that an answer of Brave comes to. */
async function failureOf(status: number, body: unknown, headers: HeadersInit = {}) {
  const { answer } = await ask(BRAVE, { answer: () => Response.json(body, { status, headers }) });
  assert(answer.kind === "failure");
  return answer;
}

Deno.test("Brave's 422 is about the key, or about the query", async () => {
  const wrongKey = { error: { code: "SUBSCRIPTION_TOKEN_INVALID", detail: "It is invalid." } };
  assertEquals((await failureOf(422, wrongKey)).outcome, "refused_credentials");
  const noKey = {
    error: { code: "VALIDATION", meta: { loc: ["header", "x-subscription-token"] } },
  };
  assertEquals((await failureOf(422, noKey)).outcome, "refused_credentials");
  assertEquals((await failureOf(422, { error: { code: "VALIDATION" } })).outcome, "refused_input");
});

Deno.test("Brave's windows say when to come again; one without a limit never runs out", async () => {
  const wait = async (limit: string, remaining: string, reset: string) => {
    const headers = {
      "x-ratelimit-limit": limit,
      "x-ratelimit-remaining": remaining,
      "x-ratelimit-reset": reset,
    };
    return (await failureOf(429, {}, headers)).retryAfterMs;
  };
  assertEquals(await wait("1, 15000", "0, 99", "1, 1419704"), 1_000);
  assertEquals(await wait("50, 0", "0, 0", "1, 1419704"), 1_000);
  assertEquals(await wait("1, 15000", "0, 0", "1, 1419704"), 3_600_000);
  assertEquals(await wait("1", "1", "1"), undefined);
  assertEquals(await wait("", "x", "y"), undefined);
  assertEquals((await failureOf(429, {})).retryAfterMs, undefined);
});

Deno.test("A message never repeats the key", async () => {
  const { message } = await failureOf(401, { error: "BSA-operator-key is not allowed" });
  assertEquals(
    message,
    'Cannot search with "brave": the server answered 401: {"error":"[redacted] is not allowed"}',
  );
});
