import { assert, assertEquals } from "@std/assert";
import type { WebQuery } from "../ports/web_search.ts";
import {
  type BoundQuery,
  boundQuery,
  domainName,
  MAX_DOMAINS,
  MAX_QUERY_CHARS,
  MAX_QUERY_WORDS,
  unusedOf,
  usableOf,
} from "./bound_query.ts";

function bound(query: Partial<WebQuery>): BoundQuery {
  const result = boundQuery({ text: "weather", ...query });
  assert(typeof result !== "string", String(result));
  return result;
}

Deno.test("boundQuery() fills in the values of a context size", () => {
  const none = { country: undefined, city: undefined, region: undefined, timezone: undefined };
  assertEquals(bound({}), {
    text: "weather",
    maxResults: 6,
    textChars: 1_200,
    domains: [],
    location: none,
  });
  const [low, high] = [bound({ contextSize: "low" }), bound({ contextSize: "high" })];
  assert(low.maxResults < high.maxResults && low.textChars < high.textChars);
});

Deno.test("boundQuery() cuts what is too long", () => {
  assertEquals(bound({ text: "a\nb\u0007 " }).text, "a b");
  assertEquals(bound({ text: "x".repeat(1_000) }).text.length, MAX_QUERY_CHARS);
  assertEquals(bound({ text: "w ".repeat(190) }).text.split(" ").length, MAX_QUERY_WORDS);
  assertEquals(bound({ maxResults: 1_000 }).maxResults, 20);
  assertEquals(bound({ maxResults: 0 }).maxResults, 1);
});

Deno.test("boundQuery() says what is wrong", () => {
  assertEquals(boundQuery({ text: " \u0000 " }), "the query is empty");
  const many = Array.from({ length: MAX_DOMAINS + 1 }, () => "example.com");
  assertEquals(
    boundQuery({ text: "a", allowedDomains: many }),
    "there are more than 100 allowed domains",
  );
  assertEquals(
    boundQuery({ text: "a", allowedDomains: ["ok.example", "a.b\n$boost"] }),
    '"a.b $boost" is no domain name',
  );
});

Deno.test("boundQuery() keeps of a place what fits into a header", () => {
  assertEquals(
    bound({
      userLocation: {
        country: "de",
        city: "München",
        region: "Bavaria\r\nx: y",
        timezone: "Europe/Berlin",
      },
    }).location,
    { country: "DE", city: undefined, region: "Bavaria x: y", timezone: "Europe/Berlin" },
  );
  assertEquals(bound({ userLocation: { country: "Germany" } }).location.country, undefined);
});

Deno.test("unusedOf() names the parts of a place that the search cannot use", () => {
  const place = { country: "Germany", city: "Köln", region: "NRW", timezone: "Europe/Berlin" };
  assertEquals(unusedOf(place, usableOf(place)), ["country", "city"]);
  assertEquals(unusedOf(place), ["country", "city", "region", "timezone"]);
  assertEquals(unusedOf({ city: undefined }), []);
});

Deno.test("domainName() reads names and nothing else", () => {
  for (
    const [text, name] of [
      ["Example.COM", "example.com"],
      ["docs.example.com.", "docs.example.com"],
      ["bücher.example", "xn--bcher-kva.example"],
      ["a_b.example.co", "a_b.example.co"],
    ] as const
  ) {
    assertEquals(domainName(text), name);
  }
  for (
    const text of [
      "",
      "localhost",
      "https://example.com",
      "example.com/path",
      "example.com:80",
      "user@example.com",
      "127.0.0.1",
      "[::1]",
      "a b.example",
      "*.example.com",
      "-.example.com",
      `${"a".repeat(64)}.example`,
      `${"a.".repeat(130)}example`,
    ]
  ) {
    assertEquals(domainName(text), undefined, text);
  }
});
