import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { START_MS, type TestAdmin } from "../../../admin/admin_test_support.ts";
import type { RequestRecord } from "../../../ports/request_log.ts";
import { type TestBrowser, withConsole } from "../../console_test_support.ts";
import { rowEvents } from "./tail_feed.tsx";

const HOSTILE = `"><img src=x onerror=alert(1)>`;

function record(n: number, rest: Partial<RequestRecord> = {}): RequestRecord {
  return {
    ...{ id: `log_${n}`, requestId: `order-${n}`, atMs: START_MS + n, keyId: "key_a" },
    ...{ walletId: "team", endpoint: "chat", stream: false, status: 200, outcome: "ok" },
    ...{ durationMs: 412, holdIds: [], charged: "0.412000", inputTokens: 12 },
    ...{ cachedInputTokens: 2, outputTokens: 30, estimated: false },
    ...rest,
  };
}

/** A reader of the feed. */
async function opened(
  browser: TestBrowser,
  { app }: TestAdmin,
  { query = "", headers = {} }: { query?: string; headers?: Record<string, string> } = {},
) {
  const cookie = [...browser.cookies.values()].join("; ");
  const address = `http://127.0.0.1:8788/console/feeds/requests/tail${query}`;
  const request = new Request(address, { headers: { cookie, host: "127.0.0.1:8788", ...headers } });
  const answer = await app.fetch(request, { remoteAddress: "192.0.2.7" });
  assertEquals(answer.headers.get("content-type"), "text/event-stream");
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  assert(reader !== undefined);
  let seen = "";
  return {
    async readUntil(wanted: RegExp): Promise<string> {
      while (!wanted.test(seen)) seen += (await reader.read()).value ?? "";
      return seen;
    },
    close: () => reader.cancel(),
  };
}

Deno.test("rows come as the list has them, filtered, and with markup as text", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const feed = await opened(browser, admin, { query: "?outcome=ok" });
    await feed.readUntil(/: keep-alive/);
    await admin.deps.log.append(record(1, { outcome: "cut" }));
    await admin.deps.log.append(record(2, { requestId: HOSTILE }));
    const seen = await feed.readUntil(/event: row\n.*\n.*\n\n/);
    assertMatch(seen, /id: log_2\ndata: "<tr>.*requests\/log_2/);
    assertNotMatch(seen, /log_1|<img src/);
    await feed.close();
    assertEquals((await browser.get("/feeds/requests/tail?status=teapot")).status, 400);
  });
});

Deno.test("a tail that resumes receives the missed rows once, and a gap event if some are lost", async () => {
  await withConsole(async (browser, admin) => {
    for (const n of [1, 2, 3]) await admin.deps.log.append(record(n));
    await browser.signIn();
    const feed = await opened(browser, admin, { headers: { "last-event-id": "log_1" } });
    await feed.readUntil(/: keep-alive/);
    await admin.deps.log.append(record(4));
    const seen = await feed.readUntil(/id: log_4/);
    assertEquals(seen.match(/(?<=row\nid: )log_\d/g), ["log_2", "log_3", "log_4"]);
    assertNotMatch(seen, /event: gap/);
    await feed.close();
    const later = await opened(browser, admin, { headers: { "last-event-id": "log_long_gone" } });
    assertMatch(await later.readUntil(/id: log_1/), /event: gap/);
    await later.close();
  });
});

Deno.test("a stream in which nothing came is gone on with where it began", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    const empty = await opened(browser, admin);
    assertMatch(await empty.readUntil(/keep-alive/), /^retry: 300\nid: -\n/);
    await empty.close();
    await admin.deps.log.append(record(1));
    const next = await opened(browser, admin, { headers: { "last-event-id": "-" } });
    assertNotMatch(await next.readUntil(/row\nid: log_1/), /gap/);
    await next.close();
    const fresh = await opened(browser, admin);
    assertMatch(await fresh.readUntil(/keep-alive/), /^retry: 300\nid: log_1\n/);
    await fresh.close();
  });
});

Deno.test("readers that leave make room for others", async () => {
  await withConsole(async (browser, admin) => {
    await browser.signIn();
    for (let n = 0; n < 20; n++) {
      const feed = await opened(browser, admin);
      await feed.close();
    }
  });
});

Deno.test("a stream ends after a while, and its source with it", async () => {
  let isCancelled = false;
  const source = new ReadableStream<string>({
    pull: (controller) => controller.enqueue(': keep-alive\n\nevent: lost\ndata: {"rows":7}\n\n'),
    cancel: () => void (isCancelled = true),
  });
  const events = await Array.fromAsync(
    source.pipeThrough(rowEvents(() => Promise.resolve([]), { lifeMs: 0 })),
  );
  assertEquals(events, [
    "retry: 300\nid: -\n\n",
    ": keep-alive\n\n",
    'event: lost\ndata: {"rows":7}\n\n',
  ]);
  assertEquals(isCancelled, true);
});
