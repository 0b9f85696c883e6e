import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { START_MS, type TestAdmin } from "../../../admin/admin_test_support.ts";
import type { RequestRecord } from "../../../ports/request_log.ts";
import { withConsole } from "../../console_test_support.ts";

const HOUR_MS = 3_600_000;

function record(n: number, atMs: number, rest: Partial<RequestRecord> = {}): RequestRecord {
  return {
    ...{ id: `log_${n}`, requestId: `req_${n}`, atMs, keyId: "key_a", walletId: "team" },
    ...{ endpoint: "chat", stream: false, status: 200, outcome: "ok", durationMs: 400 },
    ...{ holdIds: [], charged: "1.500000", inputTokens: 1_000, cachedInputTokens: 0 },
    ...{ outputTokens: 200, estimated: false },
    routing: {
      ...{ model: "fast-mini", provider: "lab", tier: "standard", reason: "Best" },
      ...{ considered: 2, attempts: [] },
    },
    ...rest,
  };
}

async function twoDays({ deps }: TestAdmin): Promise<void> {
  const failed = { outcome: "error", status: 502, errorCode: "upstream_error" } as const;
  await deps.log.append(record(0, START_MS - 30 * HOUR_MS));
  await deps.log.append(record(1, START_MS - 20 * HOUR_MS));
  await deps.log.append(record(2, START_MS - 2 * HOUR_MS));
  await deps.log.append(record(3, START_MS - 1_000, { ...failed, charged: "0.000000" }));
}

Deno.test("the overview sums a time up and compares it with the one before", async () => {
  await withConsole(async (browser, admin) => {
    await twoDays(admin);
    await browser.signIn();
    const { text } = await browser.get("/overview");
    const figure = (name: string) =>
      new RegExp(`<dt>${name}</dt><dd class="number">.*?</dd><dd class="remark">.*?</dd>`)
        .exec(text)?.[0].replace(/<[^>]+>/g, " ").replace(/\s+/g, " ").trim();
    assertStringIncludes(text, '<time class="number" datetime="2026-11-20T12:00:00.000Z"');
    assertEquals(figure("Requests"), "Requests 3 Refused: 0 +200 % (before: 1)");
    assertEquals(figure("Failed"), "Failed 1 33 % of all before: 0");
    assertEquals(figure("Spend"), "Spend 3.00 credits +100 % (before: 1.50)");
    assertEquals(figure("Tokens"), "Tokens 3,600 3,000 in, 600 out +200 % (before: 1,200)");
    assertMatch(text, /502.*upstream_error/);
    assertMatch(text, /lab.*Unsteady.*2 of 2.*3.*200/s);
  });
});

Deno.test("rows lead to the requests of the same time that they are about", async () => {
  await withConsole(async (browser, admin) => {
    await twoDays(admin);
    await browser.signIn();
    const { text } = await browser.get("/overview?range=7d");
    const linksIn = (markup: string) =>
      [...markup.matchAll(/href="\/console(\/requests\?[^"]+)"/g)]
        .map(([, path = ""]) => path.replaceAll("&amp;", "&"));
    const rowsAt = async (path: string) =>
      (await browser.get(path)).text.match(/href="\/console\/requests\/log_\d+"/g)?.length ?? 0;
    const countsIn = (markup: string) => Promise.all(linksIn(markup).map(rowsAt));
    const [above = "", below = ""] = text.split('data-fresh="tables"');
    // Those of the model, those of the key, those that failed.
    assertEquals(await countsIn(below), [4, 4, 1]);
    const legend = (name: string) =>
      new RegExp(`data-fresh="legend-${name}">(.*?)</ul>`, "s").exec(above)?.[1] ?? "";
    assertEquals(await countsIn(legend("requests")), [4]);
    assertEquals(await countsIn(legend("failures")), [1]);
    // Each step that has requests leads to them.
    const [, steps = ""] = /data-name="series-requests">(.*?)<\/table>/s.exec(above) ?? [];
    assertEquals(await countsIn(steps), [1, 1, 2]);
  });
});

Deno.test("no request is in a time and in the one before", async () => {
  await withConsole(async (browser, { deps, clock }) => {
    clock.ms = START_MS + 40 * 60_000;
    // A day ago, to the hour: 24 hours and 40 minutes.
    await deps.log.append(record(1, START_MS - 24 * HOUR_MS + 60_000));
    await browser.signIn();
    const { text } = await browser.get("/overview?range=24h");
    assertMatch(text, /<dt>Requests<\/dt>.*?title="1".*?no requests in the preceding period/s);
  });
});

Deno.test("the plots' table has each step, and reports times without requests", async () => {
  await withConsole(async (browser, admin) => {
    await twoDays(admin);
    await browser.signIn();
    const { text } = await browser.get("/overview?range=24h");
    const [, table = ""] = /<table data-name="series-requests">(.*?)<\/table>/s.exec(text) ?? [];
    assertEquals(table.match(/<time/g)?.length, 3);
    assertMatch(text, /"series" data-since="[^"]+" data-until="[^"]+" data-step="3600000"/);
    const none = (await browser.get(
      "/overview?range=own&since=2020-01-01T00:00&until=2020-01-02T00:00",
    )).text;
    assertStringIncludes(none, "There were no requests in this time");
    assertStringIncludes(none, "curl http://gateway.test:8787");
    assertNotMatch(none, /class="plots"/);
  });
});

Deno.test("a time that ends before it begins is refused, and the form stays", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    const { status, text } = await browser.get(
      "/overview?range=own&since=2026-11-21T09:00&until=2026-11-21T08:00",
    );
    assertEquals(status, 400);
    assertStringIncludes(text, "must begin before it ends");
    assertStringIncludes(text, 'value="2026-11-21T09:00"');
  });
});

Deno.test("upstreams stand before what they came to, those in trouble first, each with its page", async () => {
  await withConsole(async (browser, admin) => {
    await twoDays(admin);
    admin.pool.set("fast-mini", { available: true, failures: 2 });
    await browser.signIn();
    const { text } = await browser.get("/overview");
    assert(text.indexOf("<h2>Upstreams</h2>") < text.indexOf("<h2>Over time</h2>"));
    assertMatch(text, /<a href="\/console\/upstreams\/upstream\?id=lab">lab<\/a>/);
    assertMatch(text, /the last 2 calls failed.*\(fast-mini\)/s);
    admin.pool.set("fast-mini", { available: true, failures: 1 });
    assertStringIncludes((await browser.get("/overview")).text, "the last call failed");
  });
});

Deno.test("one table is paged and sorted without the others, and is come back to", async () => {
  await withConsole(async (browser, { deps }) => {
    for (let n = 0; n < 60; n++) {
      await deps.log.append(record(n, START_MS - 1_000, { keyId: `key_${n}` }));
    }
    await browser.signIn();
    const first = (await browser.get("/overview")).text;
    assertEquals(first.match(/<nav class="pager"/g)?.length, 1);
    const next = /href="\/console(\/overview\?keys-from=50)#keys" rel="next"/.exec(first)?.[1];
    const second = (await browser.get(next ?? "")).text;
    assertEquals(second.match(/<nav class="pager"/g)?.length, 1);
    assertStringIncludes(second, "51–51 of 51");
    assertStringIncludes(second, "All others");
    assertMatch(second, /<div id="keys" class="scroll cards"/);
    assertStringIncludes(
      second,
      'href="/console/overview?keys-from=50&amp;sort=model-requests#models"',
    );
    assertStringIncludes(second, 'href="/console/overview?sort=key-requests#keys"');
  });
});

Deno.test("keys of the same name are distinguished", async () => {
  await withConsole(async (browser, { deps, post }) => {
    for (const n of [1, 2]) {
      const { body } = await post("/keys", { name: "shop", wallet: "team", policy: {} });
      await deps.log.append(record(n, START_MS - 1_000, { keyId: String(body.id) }));
    }
    await browser.signIn();
    const { text } = await browser.get("/overview");
    const ids = [...text.matchAll(/>shop<\/a><span class="second">(key_\w+)</g)].map(([, id]) =>
      id
    );
    assertEquals(new Set(ids).size, 2);
  });
});

Deno.test("an upstream's failure is described in words, in both languages", async () => {
  await withConsole(async (browser, { pool }) => {
    pool.set("slow-maxi", { available: false, reason: "<b>timed out</b>" });
    await browser.signIn();
    const { text } = await browser.get("/overview");
    assertMatch(text, /Partly available.*&lt;b&gt;timed out&lt;\/b&gt;.*slow-maxi.*1 of 2/s);
    const chinese = await browser.get("/overview", { "accept-language": "zh-CN" });
    assert(chinese.text.includes("部分可用"));
  });
});
