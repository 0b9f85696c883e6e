/**
 * Traces through the runtime's exporter. It creates its own spans and does not use those that the
 * runtime creates for `Deno.serve` and `fetch`: they contain whole addresses, with words and
 * signatures, and no further information.
 *
 * @module
 */

import type {
  Context,
  Span as ApiSpan,
  TraceAPI,
  Tracer as ApiTracer,
  TracerProvider,
} from "@opentelemetry/api";
import manifest from "../deno.json" with { type: "json" };
import { ENDPOINT_PATHS } from "../domain/requests/endpoints.ts";
import { operationName } from "../domain/requests/gen_ai.ts";
import { BoundedMap } from "../system/bounded_map.ts";
import type { RequestRecord } from "../ports/request_log.ts";
import type { Span, SpanEnd, TracedRequest, Tracer } from "../ports/tracer.ts";
import { PassedOn, readTraceparent, type RemoteContext } from "./passed_on.ts";
import { Sampler, type Sampling } from "./sampler.ts";

/**
 * Maximum requests with open spans, more than can be in flight: older ones never received a log
 * row.
 */
const OPEN_MAX = 20_000;
/** Maximum requests whose trace is remembered for log lines. */
const KNOWN_MAX = 2_000;
/** Values of the API's `SpanKind` and `SpanStatusCode`. */
const KINDS = { internal: 0, server: 1, client: 2 } as const;
const ERROR_STATUS = 2;
const SAMPLED = 1;

/** The objects that create spans. */
interface Tools {
  readonly api: TraceAPI;
  readonly root: Context;
  readonly tracer: ApiTracer;
}

/** A span that is exported. */
class RecordedSpan implements Span {
  readonly #tools: Tools;
  readonly #span: ApiSpan;
  readonly context: Context;
  #over = false;

  constructor(tools: Tools, span: ApiSpan) {
    this.#tools = tools;
    this.#span = span;
    this.context = tools.api.setSpan(tools.root, span);
  }

  get traceparent(): string {
    const { traceId, spanId } = this.#span.spanContext();
    return `00-${traceId}-${spanId}-01`;
  }

  child(
    name: string,
    { kind = "internal", attributes = {} }: Parameters<Span["child"]>[1] = {},
  ): Span {
    const options = { kind: KINDS[kind], attributes: { ...attributes } };
    return new RecordedSpan(this.#tools, this.#tools.tracer.startSpan(name, options, this.context));
  }

  end({ attributes, error }: SpanEnd = {}): void {
    if (this.#over) return;
    this.#over = true;
    if (attributes !== undefined) this.#span.setAttributes({ ...attributes });
    if (error !== undefined) {
      this.#span.setAttribute("error.type", error);
      this.#span.setStatus({ code: ERROR_STATUS });
    }
    this.#span.end();
  }
}

/** Creates a span for each request that the sampler selects, and for its parts. */
export class OtelTracer implements Tracer {
  readonly #tools: Tools;
  readonly #sampler: Sampler;
  readonly #open = new Map<string, RecordedSpan>();
  readonly #known = new BoundedMap<string, RecordedSpan>(KNOWN_MAX);

  private constructor(tools: Tools, sampling: Sampling) {
    this.#tools = tools;
    this.#sampler = new Sampler(sampling);
  }

  /**
   * Loads the library, which is needed only here. `provider`: of tracers. @default {the runtime's}
   */
  static async load(
    sampling: Sampling,
    provider: TracerProvider = Deno.telemetry.tracerProvider,
  ): Promise<OtelTracer> {
    const { ROOT_CONTEXT: root, trace: api } = await import("@opentelemetry/api");
    const tracer = provider.getTracer(manifest.name, manifest.version);
    return new OtelTracer({ api, root, tracer }, sampling);
  }

  begin(request: TracedRequest): Span | undefined {
    const remote = readTraceparent(request.traceparent);
    if (this.#sampler.takes(remote)) {
      const span = this.#start(request, remote);
      if (span !== undefined) return span;
    }
    const { traceparent } = request;
    return remote === undefined || traceparent === null ? undefined : new PassedOn(traceparent);
  }

  #start(
    { logId, requestId, endpoint }: TracedRequest,
    remote: RemoteContext | undefined,
  ): Span | undefined {
    const { api, root, tracer } = this.#tools;
    const parent = remote === undefined ? root : api.setSpanContext(root, {
      traceId: remote.traceId,
      spanId: remote.spanId,
      traceFlags: remote.flags,
      isRemote: true,
    });
    const span = tracer.startSpan(
      `POST ${ENDPOINT_PATHS[endpoint]}`,
      { kind: KINDS.server },
      parent,
    );
    // The sampler of the runtime may also decline.
    if ((span.spanContext().traceFlags & SAMPLED) === 0) return undefined;
    const recorded = new RecordedSpan(this.#tools, span);
    this.#makeRoom();
    this.#open.set(logId, recorded);
    this.#known.set(requestId, recorded);
    return recorded;
  }

  /** Ends the span of a request with the facts of its log row. */
  ended(record: RequestRecord): void {
    const span = this.#open.get(record.id);
    if (span === undefined) return;
    this.#open.delete(record.id);
    const failed = record.outcome !== "ok" && record.outcome !== "client_left";
    span.end({
      attributes: attributesOf(record),
      error: failed ? record.errorCode ?? record.outcome : undefined,
    });
  }

  /** Returns the context of a request's span, for log lines about the request. */
  contextOf(requestId: string): Context | undefined {
    return this.#known.get(requestId)?.context;
  }

  /** Returns the ids for log lines about a request. */
  idsOf(requestId: string): { readonly traceId: string; readonly spanId: string } | undefined {
    const [, traceId, spanId] = this.#known.get(requestId)?.traceparent.split("-") ?? [];
    return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
  }

  #makeRoom(): void {
    if (this.#open.size < OPEN_MAX) return;
    for (const [id, span] of this.#open) {
      this.#open.delete(id);
      span.end({ error: "unknown" });
      return;
    }
  }
}

function attributesOf(record: RequestRecord): Record<string, string | number | boolean> {
  const { endpoint, routing } = record;
  return {
    "http.request.method": "POST",
    "http.route": ENDPOINT_PATHS[endpoint],
    "http.response.status_code": record.status,
    "gen_ai.operation.name": operationName(endpoint),
    "gen_ai.request.model": "auto",
    "gen_ai.request.stream": record.stream,
    "gen_ai.usage.input_tokens": record.inputTokens,
    "gen_ai.usage.output_tokens": record.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": record.cachedInputTokens,
    "svc.request.id": record.requestId,
    "svc.log.id": record.id,
    "svc.outcome": record.outcome,
    "svc.credits.charged": Number(record.charged),
    ...(routing === undefined
      ? {}
      : { "gen_ai.response.model": routing.model, "svc.tier": routing.tier }),
    ...(record.firstByteMs === undefined
      ? {}
      : { "gen_ai.response.time_to_first_chunk": record.firstByteMs / 1_000 }),
  };
}
