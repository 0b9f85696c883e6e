import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { START_MS, type TestAdmin } from "../../../admin/admin_test_support.ts";
import type { RequestRecord } from "../../../ports/request_log.ts";
import { withConsole } from "../../console_test_support.ts";
import { KEYS_LISTED_MAX } from "./filter.tsx";

function record(n: number, rest: Partial<RequestRecord> = {}): RequestRecord {
  return {
    ...{ id: `log_${n}`, requestId: `order-${n}`, atMs: START_MS - n * 60_000, keyId: "key_a" },
    ...{ walletId: "team", endpoint: "chat", stream: false, status: 200, outcome: "ok" },
    ...{ durationMs: 412, holdIds: [], charged: "0.412000", inputTokens: 12 },
    ...{ cachedInputTokens: 2, outputTokens: 30, estimated: false },
    ...rest,
  };
}

/** Keys of these names, and their ids. */
async function keysNamed({ post }: TestAdmin, names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) {
    ids.push(String((await post("/keys", { name, wallet: "team", policy: {} })).body.id));
  }
  return ids;
}

function rowsOf(text: string): string[] {
  return [...text.matchAll(/href="\/console\/requests\/(log_\w+)"/g)].map(([, id = ""]) => id);
}

Deno.test("a search that was cut short states it and can be continued, with or without rows", async () => {
  await withConsole(async (browser, { deps }) => {
    await browser.signIn();
    for (
      const [records, sentence] of [[[], "Nothing so far."], [[record(1)], "may be more."]] as const
    ) {
      deps.log.search = () => Promise.resolve({ records, cursor: "7.3" });
      const { text } = await browser.get("/requests?q=order");
      assertStringIncludes(text, sentence);
      assertMatch(
        text,
        /href="\/console\/requests\?q=order&amp;cursor=7.3" rel="next">Continue the search/,
      );
      assertNotMatch(text, /No request matches/);
    }
    deps.log.search = () => Promise.resolve({ records: [] });
    const { text } = await browser.get("/requests?q=order&cursor=7.3");
    assertStringIncludes(text, "Nothing more: the search has reached its end.");
    assertNotMatch(text, /No request matches|reached the limit|rel="next"/);
  });
});

Deno.test("keys of the same name are distinguished on every page", async () => {
  await withConsole(async (browser, admin) => {
    const [first = "", second = ""] = await keysNamed(admin, ["shop", "shop", "alone"]);
    await admin.deps.log.append(record(1, { keyId: first }));
    await admin.deps.log.append(record(2, { keyId: second }));
    await browser.signIn();
    const { text } = await browser.get("/requests");
    const hints = [...text.matchAll(/<option value="key_[^"]*">shop \((svc_live_[^)]+)\)</g)]
      .map(([, hint = ""]) => hint);
    assertEquals(new Set(hints).size, 2);
    assertMatch(text, />alone<\/option>/);
    for (const hint of hints) {
      assertStringIncludes(text, `title="shop (${hint})"`);
      assertStringIncludes(text, `<span class="row-note">${hint.slice(9, 15)}</span>`);
    }
    const reply = await browser.get("/requests?key=shop");
    assertStringIncludes(reply.text, "2 keys have this name");
    assertMatch(reply.text, new RegExp(`href="/console/requests\\?key=${first}"`));
    assertEquals(rowsOf((await browser.get(`/requests?key=${second}`)).text), ["log_2"]);
  });
});

Deno.test("of very many keys one is entered by its name, or its id", async () => {
  await withConsole(async (browser, admin) => {
    const names = Array.from({ length: KEYS_LISTED_MAX }, (_, n) => `key ${n}`);
    const [id = ""] = await keysNamed(admin, ["Web shop", ...names]);
    await admin.deps.log.append(record(1, { keyId: id }));
    await admin.deps.log.append(record(2));
    await browser.signIn();
    const { text } = await browser.get("/requests?key=web+shop");
    assertStringIncludes(text, "Key, by name or id");
    assertStringIncludes(text, 'name="key" value="web shop"');
    assertEquals(rowsOf(text), ["log_1"]);
    assertEquals(rowsOf((await browser.get(`/requests?key=${id}`)).text), ["log_1"]);
    assertStringIncludes((await browser.get("/requests?key=nobody")).text, "No request matches");
  });
});

Deno.test("of more keys than are loaded, all of a name are offered, or a sentence says that some may be missing", async () => {
  await withConsole(async (browser, admin) => {
    const [older = "", newer = ""] = await keysNamed(admin, ["shop", "shop"]);
    await admin.deps.log.append(record(1, { keyId: older }));
    const all = await admin.deps.keys.page({ limit: 2 });
    const pages = all.keys.map((key, at) => ({
      keys: [key],
      cursor: at === 0 ? "1.2" : undefined,
    }));
    admin.deps.keys.page = ({ cursor }) => {
      return Promise.resolve(pages[cursor === undefined ? 0 : 1] ?? { keys: [] });
    };
    await browser.signIn();
    const both = (await browser.get("/requests?key=shop")).text;
    assertStringIncludes(both, "2 keys have this name");
    for (const id of [older, newer]) assertStringIncludes(both, `key=${id}"`);
    const file = "/feeds/requests/requests.csv";
    assertEquals((await browser.get(`${file}?key=shop`)).status, 409);
    assertEquals((await browser.get(`${file}?key=${older}`)).status, 200);

    admin.deps.keys.page = () => Promise.resolve({ keys: [], cursor: "1.2" });
    const none = (await browser.get("/requests?key=shop")).text;
    assertStringIncludes(none, "older ones may have this name too");
    assertNotMatch(none, /No request matches/);
    assertEquals((await browser.get(`${file}?key=shop`)).status, 409);
  });
});

Deno.test("keys that are over make room for those that are in use", async () => {
  await withConsole(async (browser, admin) => {
    const names = Array.from({ length: KEYS_LISTED_MAX }, (_, n) => `key ${n}`);
    const [over = "", kept = ""] = await keysNamed(admin, names);
    await admin.post(`/keys/${over}/revoke`);
    await browser.signIn();
    const options = async (path: string) => {
      const { text } = await browser.get(path);
      return [...text.matchAll(/<option value="(key_[^"]+)"/g)].map(([, id]) => id);
    };
    const all = await options("/requests");
    assertEquals([all.length, all.includes(over)], [KEYS_LISTED_MAX, true]);
    await keysNamed(admin, ["one more"]);
    const living = await options("/requests");
    assertEquals([living.length, living.includes(over), living.includes(kept)], [
      KEYS_LISTED_MAX,
      false,
      true,
    ]);
    assertEquals((await options(`/requests?key=${over}`)).includes(over), true);
  });
});

Deno.test("the list is turned round by its heading, and keeps its conditions", async () => {
  await withConsole(async (browser, { deps }) => {
    for (const n of [3, 2, 1]) await deps.log.append(record(n));
    await browser.signIn();
    const newest = (await browser.get("/requests?q=order&cursor=999.0")).text;
    assertEquals(rowsOf(newest), ["log_1", "log_2", "log_3"]);
    assertMatch(newest, /aria-sort="descending"><a class="sort" href="([^"]+)"/);
    assertStringIncludes(newest, 'href="/console/requests?q=order&amp;order=oldest"');
    const oldest = (await browser.get("/requests?q=order&order=oldest")).text;
    assertEquals(rowsOf(oldest), ["log_3", "log_2", "log_1"]);
    assertMatch(
      oldest,
      /aria-sort="ascending"><a class="sort" href="\/console\/requests\?q=order"/,
    );
    assertStringIncludes(oldest, '<input type="hidden" name="order" value="oldest"');
  });
});

Deno.test("a row says when it ended, which is what the list is ordered by", async () => {
  await withConsole(async (browser, { deps }) => {
    await deps.log.append(record(0, { durationMs: 90_000 }));
    await browser.signIn();
    const ended = new Date(START_MS + 90_000).toISOString();
    const { text } = await browser.get("/requests");
    assertMatch(text, new RegExp(`Ended.*<time[^>]*datetime="${ended}"`, "s"));
    const page = (await browser.get("/requests/log_0")).text;
    const began = new Date(START_MS).toISOString();
    assertMatch(page, new RegExp(`Began</dt><dd><time[^>]*datetime="${began}"`));
    assertMatch(page, new RegExp(`Ended</dt><dd><time[^>]*datetime="${ended}"`));
  });
});

Deno.test("the live list shows the present, for any time range of the list below", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    const { text } = await browser.get(
      "/requests?model=fast-mini&range=own&since=2020-01-01T00:00&until=2020-01-02T00:00",
    );
    const [, query] = /data-tail="\/console\/feeds\/requests\/tail\?([^"]*)"/.exec(text) ?? [];
    assertEquals(query, "model=fast-mini");
  });
});

Deno.test("the listed requests are one file of any length, safe in a spreadsheet", async () => {
  await withConsole(async (browser, admin) => {
    const [shop = "", odd = ""] = await keysNamed(admin, ["shop", '=HYPERLINK("http://x")']);
    for (let n = 0; n < 1_200; n++) await admin.deps.log.append(record(n, { keyId: shop }));
    await admin.deps.log.append(
      record(-1, { requestId: "@SUM(1,2)", keyId: odd, status: 429, outcome: "error" }),
    );
    await browser.signIn();
    const { text } = await browser.get("/requests?outcome=error&order=oldest&cursor=1.1");
    const href = /href="\/console(\/feeds\/requests\/requests\.csv[^"]*)"/.exec(text)?.[1] ?? "";
    assertEquals(href, "/feeds/requests/requests.csv?outcome=error");
    const { headers, text: file } = await browser.get(href);
    assertEquals(headers.get("content-type"), "text/csv; charset=utf-8");
    assertEquals(headers.get("content-disposition"), 'attachment; filename="requests.csv"');
    const [head, line, ...rest] = file.split("\r\n");
    assertMatch(
      head ?? "",
      /^at,requestId,id,key,keyName,.*,charged,estimated,user,safetyIdentifier,tags$/,
    );
    assertStringIncludes(line ?? "", `"'@SUM(1,2)",log_-1,${odd},"'=HYPERLINK(""http://x"")",team`);
    assertEquals(rest, [""]);
    const all = (await browser.get("/feeds/requests/requests.csv")).text.trim().split("\r\n");
    assertEquals(all.length, 1 + 1_201);
    const ofKey = (await browser.get("/feeds/requests/requests.csv?key=shop")).text;
    assertEquals(ofKey.trim().split("\r\n").length, 1 + 1_200);
    assertEquals((await browser.get("/feeds/requests/requests.csv?status=odd")).status, 400);
  });
});

Deno.test("a row is one line: a short id to copy, and how long ago it ended", async () => {
  await withConsole(async (browser, { deps }) => {
    const requestId = "req_01m83awb9059b8980y46hhtvxp";
    await deps.log.append(record(3, { requestId }));
    await browser.signIn();
    const { text } = await browser.get("/requests");
    assertStringIncludes(text, `title="${requestId}">req_01m8…46hhtvxp</code></a>`);
    assertStringIncludes(text, `data-copy-text="${requestId}"`);
    assertMatch(text, /<time[^>]*title="2026-11-21T11:57:00.412Z"[^>]*>3m ago<\/time>/);
    assertMatch(text, /<td data-title="Model">/);
  });
});

Deno.test("requests are searched for from every page", async () => {
  await withConsole(async (browser, { deps }) => {
    await deps.log.append(record(1));
    await browser.signIn();
    for (
      const path of ["/overview", "/keys", "/wallets", "/catalog", "/upstreams", "/playground"]
    ) {
      const { text } = await browser.get(path);
      assertMatch(text, /<form method="get" action="\/console\/requests" class="search"/, path);
    }
    assertEquals(rowsOf((await browser.get("/requests?q=order-1")).text), ["log_1"]);
  });
});
