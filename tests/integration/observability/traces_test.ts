/**
 * Traces as a collector gets them: the service is a process that exports by the runtime's own
 * exporter, and the tree of each kind of request is compared as a whole.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { FakeUpstream, json, sse } from "../../fixtures/fake_upstream.ts";
import { calling, saying, searchFor, WEB } from "../../fixtures/hosted_lab.ts";
import {
  chunkText,
  completion,
  labConfig,
  QUESTION,
  usage,
  usageChunk,
} from "../../fixtures/lab.ts";
import { COMPARISON } from "../../fixtures/orchestrated.ts";
import { OtlpCollector } from "../../fixtures/otlp_collector.ts";
import searxng from "../../fixtures/search/searxng.json" with { type: "json" };
import { BOOTSTRAP_KEY } from "../../fixtures/service.ts";
import { ServiceProcess } from "../../fixtures/service_process.ts";
import { TaskUpstream } from "../../fixtures/task_upstream.ts";

const CHAT = "POST /openai/v1/chat/completions";
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const CALLERS_SPAN = "b7ad6b7169203331";

/** A service that exports, with what stands behind it. */
interface Traced {
  readonly service: ServiceProcess;
  readonly collector: OtlpCollector;
}

async function traced(
  config: unknown,
  run: (traced: Traced) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await using collector = new OtlpCollector();
    const path = join(folder, "svc.json");
    await Deno.writeTextFile(path, JSON.stringify(config));
    await using service = await ServiceProcess.start(
      join(folder, "svc.kv"),
      { SERVICE_BOOTSTRAP_KEY: BOOTSTRAP_KEY, ...collector.env, ...env },
      { config: path },
    );
    await run({ service, collector });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Asks, and reads the answer to its end. */
async function ask(
  { service }: Traced,
  requestId: string,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const response = await fetch(`${service.publicUrl}/openai/v1/chat/completions`, {
    method: "POST",
    headers: {
      "x-api-key": BOOTSTRAP_KEY,
      "content-type": "application/json",
      "x-request-id": requestId,
      ...headers,
    },
    body: JSON.stringify({ model: "auto", messages: QUESTION, ...body }),
  });
  await response.text();
}

/** The tree that a request made. */
async function treeOf({ collector }: Traced, requestId: string): Promise<string[]> {
  const { traceId } = await collector.ended(requestId);
  return collector.tree(traceId);
}

function hostedConfig(model: FakeUpstream, search: FakeUpstream) {
  const baseUrl = `http://127.0.0.1:${search.port}`;
  return {
    ...labConfig({ id: "one", baseUrl: model.baseUrl }),
    search: { kind: "searxng", baseUrl, pricePerSearch: "0.001" },
  };
}

const STREAMED = sse([
  chunkText({ role: "assistant", content: "Hello" }),
  chunkText({}, "stop"),
  usageChunk(usage(3, 4)),
]);

Deno.test("a call's spans hang together, from the caller's own to the upstream's", async () => {
  await using model = new FakeUpstream();
  await traced(labConfig({ id: "one", baseUrl: model.baseUrl }), async (at) => {
    model.answer(json(completion()), STREAMED);
    const traceparent = `00-${TRACE_ID}-${CALLERS_SPAN}-01`;
    await ask(at, "req_json", {}, { traceparent, tracestate: "a=b", baggage: "user=alice" });
    await ask(at, "req_stream", { stream: true });
    const root = await at.collector.ended("req_json");
    const tree = [CHAT, "  route", "  chat real-one"];
    assertEquals(await treeOf(at, "req_json"), tree);
    assertEquals(await treeOf(at, "req_stream"), tree);
    assertEquals([root.traceId, root.parentSpanId, root.kind], [TRACE_ID, CALLERS_SPAN, 2]);

    const call = at.collector.spans.find(({ parentSpanId, kind }) =>
      parentSpanId === root.spanId && kind === 3
    );
    const [first, second] = model.requests;
    assertEquals(first?.headers.get("traceparent"), `00-${TRACE_ID}-${call?.spanId}-01`);
    assertEquals([first?.headers.get("baggage"), first?.headers.get("tracestate")], [null, null]);
    assertMatch(second?.headers.get("traceparent") ?? "", /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);

    const { attributes } = root;
    assertEquals(attributes["gen_ai.operation.name"], "chat");
    assertEquals(attributes["gen_ai.response.model"], "one");
    assertEquals(attributes["http.response.status_code"], 200);
    assertEquals(call?.attributes["gen_ai.provider.name"], "at-one");
    assertEquals(call?.attributes["gen_ai.request.model"], "real-one");
    assert(Number(call?.attributes["gen_ai.usage.output_tokens"]) > 0);
    assert(call !== undefined && call.endNs <= root.endNs && call.startNs >= root.startNs);
    // Nothing of Deno's own: it would name whole addresses.
    assert(at.collector.spans.every(({ attributes }) => !("url.full" in attributes)));
  });
});

Deno.test("a failover has a span for each attempt, and the failed one says why by a code", async () => {
  await using best = new FakeUpstream();
  await using second = new FakeUpstream();
  const config = labConfig(
    { id: "best", quality: 0.9, baseUrl: best.baseUrl },
    { id: "second", quality: 0.5, baseUrl: second.baseUrl },
  );
  await traced(config, async (at) => {
    best.otherwise(json({ error: { message: "no" } }, { status: 500 }));
    second.answer(json(completion()), STREAMED);
    await ask(at, "req_json", {});
    // Another conversation: this one would stay with the model that answered it.
    const messages = [{ role: "user", content: "Hello" }];
    await ask(at, "req_stream", { messages, stream: true });
    const tree = [CHAT, "  route", "  chat real-best !server_error", "  chat real-second"];
    assertEquals(await treeOf(at, "req_json"), tree);
    assertEquals(await treeOf(at, "req_stream"), tree);
    second.otherwise(json({ error: { message: "no" } }, { status: 500 }));
    await ask(at, "req_failed", {});
    const failed = await at.collector.ended("req_failed");
    assertEquals([failed.isError, failed.attributes["error.type"]], [true, "upstream_error"]);
  });
});

Deno.test("each hosted tool call has its span between the turns", async () => {
  await using model = new FakeUpstream();
  await using search = new FakeUpstream();
  const config = {
    ...labConfig({ id: "one", baseUrl: model.baseUrl }),
    search: {
      kind: "searxng",
      baseUrl: `http://127.0.0.1:${search.port}`,
      pricePerSearch: "0.001",
    },
  };
  await traced(config, async (at) => {
    for (const stream of [false, true]) {
      search.answer(json(searxng));
      model.answer(calling(searchFor("tea")), saying("Tea."));
      await ask(at, `req_${stream}`, { tools: [WEB], stream });
      assertEquals(await treeOf(at, `req_${stream}`), [
        CHAT,
        "  route",
        "  chat real-one",
        "  execute_tool web_search_preview",
        "  route",
        "  chat real-one",
      ]);
    }
  });
});

Deno.test("a split request has a span for its plan and each of its tasks, with their calls below", async () => {
  await using upstream = new TaskUpstream();
  const config = labConfig({ id: "one", baseUrl: upstream.baseUrl });
  await traced(config, async (at) => {
    const messages = [{ role: "user", content: COMPARISON }];
    for (const stream of [false, true]) {
      await ask(at, `req_${stream}`, { messages, stream });
      const part = (name: string) => [`  ${name}`, "    route", "    chat real-one"];
      assertEquals(
        (await treeOf(at, `req_${stream}`)).toSorted(),
        [
          CHAT,
          "  route",
          ...part("plan"),
          ...[1, 2, 3].flatMap(() => part("task")),
          "  route",
          "  chat real-one",
        ].toSorted(),
      );
    }
  });
});

for (
  const env of [
    { SERVICE_TRACE_RATIO: "0" },
    { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" },
  ]
) {
  Deno.test(`an unsampled caller is not exported, and its context is passed on: ${Object.keys(env)[0]}`, async () => {
    await using model = new FakeUpstream();
    await traced(labConfig({ id: "one", baseUrl: model.baseUrl }), async (at) => {
      model.answer(json(completion()), json(completion()), json(completion()));
      const unsampled = `00-${TRACE_ID}-${CALLERS_SPAN}-00`;
      await ask(at, "req_left_out", {}, { traceparent: unsampled });
      await ask(at, "req_none", {});
      await ask(at, "req_sampled", {}, { traceparent: `00-${TRACE_ID}-${CALLERS_SPAN}-01` });
      await at.collector.ended("req_sampled");
      assertEquals(at.collector.spans.length, 3);
      const sent = model.requests.map(({ headers }) => headers.get("traceparent"));
      assertEquals(sent.slice(0, 2), [unsampled, null]);
    }, env);
  });
}

Deno.test("lines of the log are exported once, with the trace of their request", async () => {
  await using model = new FakeUpstream();
  await using search = new FakeUpstream();
  await traced(hostedConfig(model, search), async (at) => {
    search.answer(json({}, { status: 500 }));
    model.answer(calling(searchFor("tea")), saying("No tea."));
    await ask(at, "req_search", { tools: [WEB] });
    const { traceId } = await at.collector.ended("req_search");
    assertEquals(
      (await treeOf(at, "req_search"))[3],
      "  execute_tool web_search_preview !search_failed",
    );
    const { stderr, stdout } = await at.service.end("SIGTERM");
    const failed = at.collector.lines.filter(({ text }) => text.includes("web_search_failed"));
    assertEquals(failed.map((line) => [line.severity, line.traceId]), [["WARN", traceId]]);
    assertEquals(JSON.parse(failed[0]?.text ?? "").traceId, traceId);
    assertEquals(stderr.match(/web_search_failed/g)?.length, 1);
    // The banner, with what it shows once, is no line of the log.
    assert(stdout.includes("is ready"));
    assert(at.collector.lines.every(({ text }) => text.startsWith("{")));
    assert(at.collector.metrics.has("gen_ai.server.request.duration"));
    assert(at.collector.metrics.has("gen_ai.client.token.usage"));
  });
});

Deno.test("the service does not start to export with Deno's own spans", async () => {
  await using model = new FakeUpstream();
  const failed = await traced(
    labConfig({ id: "one", baseUrl: model.baseUrl }),
    () => Promise.resolve(),
    { OTEL_DENO_TRACING: "true" },
  ).then(() => "", String);
  assertMatch(failed, /set OTEL_DENO_TRACING=false/);
});
