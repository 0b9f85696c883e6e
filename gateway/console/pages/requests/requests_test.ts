import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import type { RequestRecord, TaskRecord } from "../../../ports/request_log.ts";
import { START_MS } from "../../../admin/admin_test_support.ts";
import { withConsole } from "../../console_test_support.ts";

/** Marks that show as nothing, or turn what follows them around. */
const UNSEEN = "\u0007\u202e\u2066";
const HOSTILE = `"><img src=x onerror=alert(1)>'&${UNSEEN}`;
const RAW = /<img src=x/;
const ESCAPED = "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&#39;&amp;\\u{7}\\u{202e}\\u{2066}";

function record(n: number, rest: Partial<RequestRecord> = {}): RequestRecord {
  return {
    ...{ id: `log_${n}`, requestId: `order-${n}`, atMs: START_MS - n * 60_000, keyId: "key_a" },
    ...{ walletId: "team", endpoint: "chat", stream: false, status: 200, outcome: "ok" },
    ...{ durationMs: 412, holdIds: [], charged: "0.412000", inputTokens: 12 },
    ...{ cachedInputTokens: 2, outputTokens: 30, estimated: false },
    routing: {
      ...{ model: "fast-mini", provider: "lab", tier: "standard", reason: "Cheapest" },
      considered: 2,
      attempts: [{ model: "fast-mini", provider: "lab", outcome: "ok", status: 200, ms: 400 }],
    },
    ...rest,
  };
}

/** Says all that comes from outside with markup in it. */
function hostile(): RequestRecord {
  const attempt = { model: HOSTILE, provider: HOSTILE, outcome: "ok", ms: 4 } as const;
  return record(1, {
    ...{ requestId: HOSTILE, keyId: HOSTILE, walletId: HOSTILE, attemptStarts: [1] },
    attribution: { user: HOSTILE, safetyIdentifier: HOSTILE, tags: "team=search" },
    routing: {
      ...{ model: HOSTILE, provider: HOSTILE, tier: HOSTILE, reason: HOSTILE, considered: 1 },
      attempts: [attempt],
    },
    words: [{ attempt: 0, words: HOSTILE }, { taskId: HOSTILE, attempt: 0, words: "task's words" }],
    scores: [{ model: HOSTILE, score: 0.5 }],
    exclusions: [{ model: HOSTILE, stage: HOSTILE, reason: HOSTILE }],
    tasks: [{
      ...{ taskId: HOSTILE, dependsOn: [HOSTILE], status: "done", model: HOSTILE },
      ...{ inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, charged: "0.1" },
      ...{ provider: HOSTILE, startMs: 0, ms: 3, attempts: [attempt] },
    }],
    content: { prompt: HOSTILE, answer: HOSTILE, isCut: true },
  });
}

Deno.test("markup in anything that comes from outside is shown as text", async () => {
  await withConsole(async (browser, { deps }) => {
    await deps.log.append(hostile());
    await browser.signIn();
    const query = new URLSearchParams({ q: HOSTILE, key: HOSTILE, model: HOSTILE, error: HOSTILE });
    for (const path of ["/requests", `/requests?${query}`, "/requests/log_1", "/overview"]) {
      const { text } = await browser.get(path);
      assertNotMatch(text, RAW, path);
      if (path.endsWith("log_1")) assertMatch(text, /<pre [^>]*>(?:task&#39;s|task's) words</);
      assertStringIncludes(text, ESCAPED, path);
      // What is entered goes back as it was; everything else says what it is.
      const shown = text.replaceAll(/<textarea[^]*?<\/textarea>|<[^>]*>/g, "");
      assertNotMatch(shown, new RegExp(`[${UNSEEN}]`), path);
    }
  });
});

Deno.test("requests are found by id, key, model, outcome, status and time", async () => {
  await withConsole(async (browser, { deps }) => {
    await deps.log.append(record(90));
    await deps.log.append(record(2, { keyId: "key_b", requestId: "job-7" }));
    const refused = { outcome: "error", status: 429, errorCode: "rate_limit_exceeded" } as const;
    await deps.log.append(record(1, { ...refused, routing: undefined }));
    await browser.signIn();
    const idsFor = async (query: string) => {
      const { text } = await browser.get(`/requests?${query}`);
      return [...text.matchAll(/href="\/console\/requests\/(\w+)"/g)].map(([, id]) => id);
    };
    assertEquals(await idsFor(""), ["log_1", "log_2", "log_90"]);
    assertEquals(await idsFor("order=oldest"), ["log_90", "log_2", "log_1"]);
    assertEquals(await idsFor("q=job"), ["log_2"]);
    assertEquals(await idsFor("key=key_b&q=&model="), ["log_2"]);
    assertEquals(await idsFor("model=fast-mini"), ["log_2", "log_90"]);
    assertEquals(await idsFor("outcome=error"), ["log_1"]);
    assertEquals(await idsFor("status=4xx"), ["log_1"]);
    assertEquals(await idsFor("range=1h"), ["log_1", "log_2"]);
    const attribution = { user: "ann", safetyIdentifier: "h1", tags: "env=prod,team=search" };
    await deps.log.append(record(1, { id: "log_3", attribution }));
    assertEquals(await idsFor("tag=team%3Dsearch"), ["log_3"]);
    assertEquals(await idsFor("user=h1&tag=env%3Dprod"), ["log_3"]);
    assertEquals(await idsFor("user=nobody"), []);
    assertStringIncludes((await browser.get("/requests/log_3")).text, "env=prod, team=search");
    const own = "range=own&since=2026-11-21T18:00&until=2026-11-21T18:45&zone=%2B08:00";
    assertEquals(await idsFor(own), ["log_90"]);
  });
});

Deno.test("a page of many leads to the next one, with its conditions", async () => {
  await withConsole(async (browser, { deps }) => {
    for (let n = 60; n > 0; n--) await deps.log.append(record(n));
    await browser.signIn();
    const first = await browser.get("/requests?model=fast-mini");
    const next = /href="(\/console\/requests\?model=fast-mini&amp;cursor=[^"]+)"/.exec(first.text);
    assert(next?.[1] !== undefined, first.text);
    const address = next[1].replaceAll("&amp;", "&").replace("/console", "");
    const second = await browser.get(address);
    assertStringIncludes(second.text, "/console/requests/log_60");
    assertNotMatch(second.text, /requests\/log_50"/);
  });
});

Deno.test("an impossible search is explained, and the form is kept", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    const { status, text } = await browser.get("/requests?status=teapot");
    assertEquals(status, 400);
    assertStringIncludes(text, "Give a status as 429");
    assertStringIncludes(text, 'value="teapot"');
  });
});

Deno.test("an empty list explains the next step", async () => {
  await withConsole(async (browser) => {
    await browser.signIn();
    const none = await browser.get("/requests");
    assertStringIncludes(none.text, "curl http://gateway.test:8787/openai/v1/chat/completions");
    assertStringIncludes((await browser.get("/requests?q=x")).text, "No request matches");
    const unknown = await browser.get("/requests/log_none");
    assertEquals(unknown.status, 404);
    assertStringIncludes(unknown.text, "when it has ended");
    assertStringIncludes(unknown.text, 'href="/console/requests?q=log_none"');
  });
});

Deno.test("only a whole answer looks like one", async () => {
  await withConsole(async (browser, { deps }) => {
    const endings: readonly [Partial<RequestRecord>, string][] = [
      [{}, "ending-good"],
      [{ outcome: "cut", errorCode: "upstream_error" }, "ending-bad"],
      [{ outcome: "client_left" }, "ending-warn"],
      [{ outcome: "killed" }, "ending-bad"],
      [{ outcome: "error", status: 402, errorCode: "insufficient_balance" }, "ending-warn"],
      [{ outcome: "error", status: 502, errorCode: "upstream_error" }, "ending-bad"],
      [{ outcome: "error", errorCode: "orchestration_failed" }, "ending-bad"],
    ];
    await browser.signIn();
    for (const [n, [ending, look]] of endings.entries()) {
      await deps.log.append(record(n, ending));
      const { text } = await browser.get(`/requests/log_${n}`);
      assertStringIncludes(text, `class="ending ${look}"`, JSON.stringify(ending));
    }
  });
});

Deno.test("a page describes the route in the reader's language, and quotes the reason", async () => {
  await withConsole(async (browser, { deps }) => {
    await deps.log.append(record(1, {
      scores: [{ model: "fast-mini", score: 0.8 }, { model: "third", score: 0.4 }],
      exclusions: [{
        model: "slow-maxi",
        stage: "affordable",
        reason: "needs a hold of 9 credits",
      }],
    }));
    await browser.signIn();
    const english = (await browser.get("/requests/order-1")).text;
    assertMatch(english, /slow-maxi.*Excluded: Wallet.*needs a hold of 9 credits/);
    assertMatch(english, /third.*In reserve/);
    const chinese = (await browser.get("/requests/order-1", { "accept-language": "zh" })).text;
    assertMatch(chinese, /已排除：钱包.*lang="en">needs a hold of 9 credits/);
  });
});

Deno.test("a page reports impossible usage", async () => {
  await withConsole(async (browser, { deps }) => {
    const problem = "-1 output tokens are no count";
    await deps.log.append(record(1, { usageProblems: [{ model: "fast-mini", problem }] }));
    await deps.log.append(record(2));
    await browser.signIn();
    const page = (await browser.get("/requests/log_1")).text;
    assertMatch(
      page,
      /notice-problem.*impossible usage.*fast-mini.*-1 output tokens are no count/s,
    );
    assertNotMatch((await browser.get("/requests/log_2")).text, /impossible usage/);
  });
});

Deno.test("logged content appears only on the page of a request whose key logs it", async () => {
  await withConsole(async (browser, { deps }) => {
    const content = { prompt: "planted question", answer: "planted answer", isCut: false };
    await deps.log.append(record(1, { content }));
    await deps.log.append(record(2));
    await browser.signIn();
    const logged = (await browser.get("/requests/log_1")).text;
    assertMatch(logged, /an operator.*choice.*<details class="said">.*planted question/s);
    for (const path of ["/requests", "/requests/log_2", "/overview"]) {
      assertNotMatch((await browser.get(path)).text, /planted/, path);
    }
  });
});

Deno.test("a failed plan is described in words, with its cost", async () => {
  const planner: TaskRecord = {
    ...{ taskId: "plan", dependsOn: [], model: "slow-maxi", provider: "lab" },
    ...{ startMs: 0, ms: 1_240, inputTokens: 700, cachedInputTokens: 0, outputTokens: 90 },
    ...{ charged: "0.312000", attempts: [] },
    status: "failed",
  };
  await withConsole(async (browser, { deps }) => {
    await deps.log.append(record(1, { tasks: [planner] }));
    const unanswered = { outcome: "error", status: 502, errorCode: "upstream_error" } as const;
    await deps.log.append(record(2, { ...unanswered, tasks: [{ ...planner, model: undefined }] }));
    await deps.log.append(record(3, {
      tasks: [
        { ...planner, status: "done" },
        { ...planner, taskId: "a", status: "done", charged: "0.050000" },
        { ...planner, taskId: "b", charged: "0.040000" },
      ],
    }));
    await deps.log.append(record(4, {
      ...unanswered,
      charged: "0.362000",
      tasks: [
        { ...planner, status: "done" },
        { ...planner, taskId: "a", status: "done", charged: "0.050000" },
      ],
    }));
    await browser.signIn();
    const failed = (await browser.get("/requests/log_1")).text;
    assertStringIncludes(failed, "slow-maxi was asked for a plan");
    assertStringIncludes(failed, "It was then answered as one request.");
    assertStringIncludes(failed, "cost 0.31 credits, 790 tokens and 1.24\u00a0s.");
    assertNotMatch(failed, /split into 0 tasks/);
    const unasked = (await browser.get("/requests/log_2")).text;
    assertStringIncludes(unasked, "no model was available for a plan. It then continued as one");
    const partly = (await browser.get("/requests/log_3")).text;
    assertStringIncludes(partly, "split into 2 tasks");
    assertStringIncludes(partly, "One of them has no result; it cost 0.04 credits.");
    assertNotMatch(partly, /writes the answer/);
    const unfinished = (await browser.get("/requests/log_4")).text;
    assertStringIncludes(unfinished, "was not completed; the tasks still cost 0.362 credits");
  });
});
