import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { SearchConfig } from "../../../gateway/domain/catalog/catalog.ts";
import type {
  WebQuery,
  WebSearchAnswer,
  WebSearchFailure,
} from "../../../gateway/ports/web_search.ts";
import { createWebSearch } from "../../../gateway/search/factory.ts";
import { MAX_ANSWER_BYTES } from "../../../gateway/search/http_search.ts";
import {
  chunk,
  FakeUpstream,
  fixed,
  json,
  type Script,
  streamHead,
} from "../../fixtures/fake_upstream.ts";
import brave from "../../fixtures/search/brave.json" with { type: "json" };
import searxng from "../../fixtures/search/searxng.json" with { type: "json" };
import tavily from "../../fixtures/search/tavily.json" with { type: "json" };

const KEY = "operator-key-0123456789";
const NOW_MS = Date.UTC(2026, 10, 21, 12);
const KINDS = ["brave", "searxng", "tavily"] as const;
type Kind = typeof KINDS[number];

const RECORDED: Readonly<Record<Kind, unknown>> = { brave, searxng, tavily };

/** An answer with these entries, as a server of the kind wraps them. */
function answerWith(kind: Kind, entries: unknown): unknown {
  return kind === "brave"
    ? { type: "search", web: { results: entries } }
    : { query: "q", results: entries };
}

function configOf(kind: Kind, server: FakeUpstream): SearchConfig {
  const baseUrl = `http://127.0.0.1:${server.port}`;
  return kind === "searxng"
    ? { kind, baseUrl, pricePerSearch: "0" }
    : { kind, baseUrl, apiKey: KEY, pricePerSearch: "0.01" };
}

interface Asking {
  readonly query?: Partial<WebQuery>;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

function ask(kind: Kind, server: FakeUpstream, asking: Asking = {}): Promise<WebSearchAnswer> {
  const search = createWebSearch(configOf(kind, server), {
    clock: { nowMs: () => NOW_MS, monotonicMs: () => performance.now() },
    env: () => undefined,
    timeoutMs: asking.timeoutMs,
  });
  const signal = asking.signal ?? new AbortController().signal;
  return search.search({ text: "tidal power", ...asking.query }, { signal });
}

/** Returns the result of a back end for one scripted answer. */
async function answerTo(script: Script, kind: Kind, asking?: Asking): Promise<WebSearchAnswer> {
  await using server = new FakeUpstream();
  server.answer(script);
  return await ask(kind, server, asking);
}

async function failureOf(script: Script, kind: Kind, asking?: Asking): Promise<WebSearchFailure> {
  const answer = await answerTo(script, kind, asking);
  assert(answer.kind === "failure", JSON.stringify(answer));
  assertStringIncludes(answer.message, `Cannot search with "${kind}": `);
  assert(!JSON.stringify(answer).includes(KEY));
  return answer;
}

for (const kind of KINDS) {
  Deno.test(`${kind}: results come in order, with their texts and days`, async () => {
    const answer = await answerTo(json(RECORDED[kind]), kind);
    assert(answer.kind === "results", JSON.stringify(answer));
    const [tides, harbour, ...rest] = answer.results;
    assertEquals(tides?.url, "https://energy.example/tides");
    assertEquals([tides?.title, tides?.publishedOn], ["How tidal turbines work", "2026-02-03"]);
    assertStringIncludes(tides?.text ?? "", "with the tide. Tides can be forecast for years.");
    assertEquals(harbour, {
      url: "https://news.example/harbour",
      title: "A harbour that lights itself",
      text: "A town draws its street lights from the tide.",
      publishedOn: undefined,
    });
    assertEquals(rest, []);
  });

  Deno.test(`${kind}: an empty result is not a failure`, async () => {
    assertEquals(await answerTo(json(answerWith(kind, [])), kind), {
      kind: "results",
      results: [],
    });
  });

  Deno.test(`${kind}: statuses become outcomes`, async () => {
    for (
      const [status, outcome] of [
        [400, "refused_input"],
        [401, "refused_credentials"],
        [403, "refused_credentials"],
        [429, "rate_limited"],
        [500, "server_error"],
        [504, "timeout"],
      ] as const
    ) {
      const failure = await failureOf(json({ error: `no ${KEY}` }, { status }), kind);
      assertEquals([failure.outcome, failure.status], [outcome, status]);
    }
  });

  Deno.test(`${kind}: a limit says when to come again`, async () => {
    for (const retryAfter of ["7", new Date(NOW_MS + 7_000).toUTCString()]) {
      const headers = { "retry-after": retryAfter };
      const failure = await failureOf(json({}, { status: 429, headers }), kind);
      assertEquals(failure.retryAfterMs, 7_000);
    }
  });

  Deno.test(`${kind}: an invalid answer is distinguished from a valid one`, async () => {
    const page = { "content-type": "text/html" };
    for (
      const [script, why] of [
        [fixed("<html>", { headers: page }), "the answer is no JSON"],
        [fixed(JSON.stringify(RECORDED[kind]), { headers: page }), "the answer is no JSON"],
        [fixed("{ not json"), "the answer cannot be used"],
        [fixed(""), "the answer is empty"],
        [fixed("[".repeat(100_000)), "the answer cannot be used"],
        [json([]), "the answer cannot be used"],
        [json({ error: "fine" }), "the answer cannot be used"],
        [json(answerWith(kind, "none")), "the answer cannot be used"],
      ] as const
    ) {
      const { message, outcome } = await failureOf(script, kind);
      assertEquals(outcome, "malformed");
      assertStringIncludes(message, why);
    }
  });

  Deno.test(`${kind}: a redirect is not followed`, async () => {
    await using elsewhere = new FakeUpstream();
    const headers = { location: `http://127.0.0.1:${elsewhere.port}/` };
    const failure = await failureOf(fixed("", { status: 302, headers }), kind);
    assertEquals([failure.outcome, failure.status], ["server_error", 302]);
    assertEquals(elsewhere.connections, 0);
  });

  Deno.test(`${kind}: a server that takes too long is left`, async () => {
    for (const script of [[{ stall: true }], [streamHead(JSON_TYPE), { stall: true }]] as const) {
      await using server = new FakeUpstream();
      server.answer(script);
      const answer = await ask(kind, server, { timeoutMs: 500 });
      assert(answer.kind === "failure");
      assertEquals(answer.outcome, "timeout");
      await server.clientLeft();
    }
  });

  Deno.test(`${kind}: an answer beyond the limit is left, announced or not`, async () => {
    for (const endless of [true, false]) {
      await using server = new FakeUpstream();
      const piece = chunk(" ".repeat(64 * 1024));
      server.answer([
        ...endless
          ? [streamHead(JSON_TYPE), ...Array(MAX_ANSWER_BYTES / (64 * 1024) + 1).fill(piece)]
          : [{ send: `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n` }, {
            send: `content-length: ${MAX_ANSWER_BYTES + 1}\r\n\r\n`,
          }],
        { stall: true },
      ]);
      const answer = await ask(kind, server);
      assert(answer.kind === "failure");
      assertEquals(answer.outcome, "malformed");
      await server.clientLeft();
    }
  });

  Deno.test(`${kind}: an answer that breaks off, and a server that is not there`, async () => {
    const broken = await failureOf([streamHead(JSON_TYPE), chunk("{"), { close: true }], kind);
    assertEquals(broken.outcome, "cut");
    const server = new FakeUpstream();
    await server[Symbol.asyncDispose]();
    const absent = await ask(kind, server);
    assert(absent.kind === "failure");
    assertEquals([absent.outcome, absent.status], ["connect_failed", undefined]);
  });

  Deno.test(`${kind}: hostile results do no harm`, async () => {
    const url = "https://a.example/";
    const hostile = [
      { url: "javascript:alert(1)", title: "one" },
      { url: 7, title: "two" },
      null,
      [[]],
      { title: "no address" },
      { url, title: "\u0000\u001b[2J\u202E".repeat(50_000), content: "x\u0007".repeat(50_000) },
      ...Array.from({ length: 5_000 }, (_, at) => ({ url: `${url}${at}`, title: "more" })),
    ];
    const answer = await answerTo(json(answerWith(kind, hostile)), kind, {
      query: { maxResults: 1_000 },
    });
    assert(answer.kind === "results", JSON.stringify(answer));
    assertEquals(answer.results.length, 20);
    assertEquals(new Set(answer.results.map(({ url }) => new URL(url).origin)).size, 1);
    for (const { text, title } of answer.results) {
      assert(title.length <= 300 && text.length <= 3_000);
      assert(!/[\p{Cc}\p{Bidi_Control}]/u.test(title + text));
    }
  });

  Deno.test(`${kind}: other domains are left out, for any answer of the server`, async () => {
    const query = { allowedDomains: ["news.example"] };
    const answer = await answerTo(json(RECORDED[kind]), kind, { query });
    assert(answer.kind === "results");
    assertEquals(answer.results.map(({ url }) => url), ["https://news.example/harbour"]);
  });

  Deno.test(`${kind}: a caller that leaves closes the connection`, async () => {
    for (const script of [[{ stall: true }], [streamHead(JSON_TYPE), { stall: true }]] as const) {
      await using server = new FakeUpstream();
      server.answer(script);
      const caller = new AbortController();
      const call = ask(kind, server, { signal: caller.signal });
      await server.stalling();
      caller.abort(new Error("the caller left"));
      await assertRejects(() => call, Error, "the caller left");
      await server.clientLeft();
    }
  });

  Deno.test(`${kind}: each search has a connection of its own, and is asked once`, async () => {
    await using server = new FakeUpstream();
    server.answer(json(RECORDED[kind]), [{ close: true }], json(RECORDED[kind]));
    const outcomes = [];
    for (let at = 0; at < 2; at++) outcomes.push((await ask(kind, server)).kind);
    assertEquals(outcomes, ["results", "failure"]);
    assertEquals([server.connections, server.requests.length], [2, 2]);
  });
}

const JSON_TYPE = { "content-type": "application/json" };

Deno.test("brave: an answer without web results found nothing", async () => {
  const answer = await answerTo(json({ type: "search", query: { original: "q" } }), "brave");
  assertEquals(answer, { kind: "results", results: [] });
});

Deno.test("tavily: a plan that is used up is the operator's trouble", async () => {
  for (const status of [432, 433]) {
    const body = { detail: { error: "This request exceeds your plan's set usage limit." } };
    const failure = await failureOf(json(body, { status }), "tavily");
    assertEquals(failure.outcome, "refused_credentials");
    assertStringIncludes(failure.message, "usage limit");
  }
});

Deno.test("searxng: silent engines are not nothing found; a refused format says what to set", async () => {
  const silent = { results: [], unresponsive_engines: [["one", "CAPTCHA"]] };
  const failure = await failureOf(json(silent), "searxng");
  assertEquals(failure.outcome, "malformed");
  assertStringIncludes(failure.message, "engines did not answer");
  const headers = { "content-type": "text/html" };
  const refused = await failureOf(fixed("Forbidden", { status: 403, headers }), "searxng");
  assertStringIncludes(refused.message, "search.formats");
});

Deno.test("A compressed answer is bounded by what it unpacks to", async () => {
  const packed = new Blob([" ".repeat(4 * MAX_ANSWER_BYTES)]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  const bytes = await new Response(packed).bytes();
  assert(bytes.length < MAX_ANSWER_BYTES / 10);
  const script = fixed(bytes, { headers: { "content-encoding": "gzip" } });
  assertEquals((await failureOf(script, "searxng")).outcome, "malformed");
});
