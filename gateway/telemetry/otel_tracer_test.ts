import { assert, assertEquals } from "@std/assert";
import {
  type Context,
  type Span,
  trace,
  type Tracer,
  type TracerProvider,
} from "@opentelemetry/api";
import type { RequestRecord } from "../ports/request_log.ts";
import { OtelTracer } from "./otel_tracer.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const SPAN_ID = "b7ad6b7169203331";
const SAMPLED = `00-${TRACE_ID}-${SPAN_ID}-01`;
const ALL = { ratio: 1, random: () => 0, monotonicMs: () => 0 } as const;
const REQUEST = { requestId: "req_1", endpoint: "chat" } as const;

/** The facts of one span. */
interface RecordedCall {
  readonly name: string;
  readonly parent: string | undefined;
  readonly attributes: Record<string, unknown>;
  ends: number;
  isError: boolean;
}

/** A provider that records spans; it replaces the runtime's, which only exports. */
function rememberingProvider(spans: RecordedCall[]): TracerProvider {
  const startSpan: Tracer["startSpan"] = (name, options, context?: Context) => {
    const parent = context === undefined ? undefined : trace.getSpanContext(context)?.spanId;
    const one: RecordedCall = {
      name,
      parent,
      attributes: { ...options?.attributes },
      ends: 0,
      isError: false,
    };
    spans.push(one);
    const spanId = `${spans.length}`.padStart(16, "0");
    const span: Pick<Span, "spanContext" | "setAttributes" | "setAttribute" | "setStatus" | "end"> =
      {
        spanContext: () => ({ traceId: TRACE_ID, spanId, traceFlags: 1 }),
        setAttributes: (attributes) => (Object.assign(one.attributes, attributes), span as Span),
        setAttribute: (key, value) => (one.attributes[key] = value, span as Span),
        setStatus: ({ code }) => (one.isError = code === 2, span as Span),
        end: () => void one.ends++,
      };
    return span as Span;
  };
  return { getTracer: () => ({ startSpan }) as Tracer };
}

function record(id: string, more: Partial<RequestRecord> = {}): RequestRecord {
  return {
    ...{ id, requestId: "req_1", atMs: 0, keyId: "key_secret", walletId: "wallet_secret" },
    ...{ endpoint: "chat", stream: false, status: 200, outcome: "ok", durationMs: 5 },
    ...{ holdIds: [], charged: "0.5", inputTokens: 1, cachedInputTokens: 0, outputTokens: 2 },
    estimated: false,
    ...more,
  };
}

Deno.test("a request's span ends with its row, once, and its parts are below it", async () => {
  const spans: RecordedCall[] = [];
  const tracer = await OtelTracer.load(ALL, rememberingProvider(spans));
  const span = tracer.begin({ ...REQUEST, logId: "log_1", traceparent: SAMPLED });
  assert(span !== undefined);
  const call = span.child("chat m", { kind: "client", attributes: { "svc.model": "m" } });
  call.end({ error: "timeout" });
  call.end({ error: "again" });
  assertEquals(tracer.idsOf("req_1"), { traceId: TRACE_ID, spanId: "0000000000000001" });
  assertEquals(call.traceparent, `00-${TRACE_ID}-0000000000000002-01`);
  for (const id of ["log_1", "log_1", "log_other"]) tracer.ended(record(id));
  assertEquals(spans.map(({ name, parent, ends, isError }) => [name, parent, ends, isError]), [
    ["POST /openai/v1/chat/completions", SPAN_ID, 1, false],
    ["chat m", "0000000000000001", 1, true],
  ]);
  assertEquals(spans[1]?.attributes, { "svc.model": "m", "error.type": "timeout" });
  const values = JSON.stringify(spans[0]?.attributes);
  assert(!values.includes("secret"), values);
});

Deno.test("a failed request has the code of the error; a disconnected one has no code", async () => {
  const spans: RecordedCall[] = [];
  const tracer = await OtelTracer.load(ALL, rememberingProvider(spans));
  const ends: readonly Partial<RequestRecord>[] = [
    { outcome: "error", status: 502, errorCode: "upstream_error" },
    { outcome: "cut" },
    { outcome: "client_left", status: 499 },
  ];
  for (const [at, end] of ends.entries()) {
    tracer.begin({ ...REQUEST, logId: `log_${at}`, traceparent: null });
    tracer.ended(record(`log_${at}`, end));
  }
  assertEquals(spans.map(({ attributes }) => attributes["error.type"]), [
    "upstream_error",
    "cut",
    undefined,
  ]);
});

Deno.test("a share is traced; the trace of a caller is followed if it is recorded", async () => {
  const spans: RecordedCall[] = [];
  let next = 0.4;
  const tracer = await OtelTracer.load(
    { ratio: 0.5, random: () => next, monotonicMs: () => 0 },
    rememberingProvider(spans),
  );
  const begin = (traceparent: string | null) =>
    tracer.begin({ ...REQUEST, logId: "log_1", traceparent });
  const unsampled = SAMPLED.replace(/01$/, "00");
  assert(begin(null) !== undefined);
  next = 0.5;
  assertEquals(begin(null), undefined);
  assert(begin(SAMPLED)?.traceparent !== SAMPLED);
  next = 0;
  assertEquals(begin(unsampled)?.traceparent, unsampled);
  assertEquals(spans.length, 2);
});

Deno.test("requests that never get a row do not pile up", async () => {
  const spans: RecordedCall[] = [];
  const tracer = await OtelTracer.load(ALL, rememberingProvider(spans));
  for (let at = 0; at < 20_010; at++) {
    tracer.begin({ ...REQUEST, logId: `log_${at}`, traceparent: null });
  }
  assertEquals(spans.filter(({ ends }) => ends === 1).length, 10);
});
