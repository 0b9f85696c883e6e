import type { Attributes, Histogram } from "@opentelemetry/api";
import manifest from "../deno.json" with { type: "json" };
import { operationName } from "../domain/requests/gen_ai.ts";
import { NO_MODEL, partsOf } from "../domain/requests/parts.ts";
import type { RequestRecord } from "../ports/request_log.ts";

/** Bucket bounds of the conventions, in seconds. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96];
/** Bucket bounds of the conventions, in tokens. */
const TOKENS = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];
/** Attributes of a request that reached no model. */
const NONE = { model: NO_MODEL, provider: NO_MODEL };
/** Maximum kinds of requests whose attributes are cached. */
const CACHE_MAX = 500;

interface RequestAttributes {
  readonly plain: Attributes;
  readonly input: Attributes;
  readonly output: Attributes;
}

/** Metrics of the conventions for generative AI, sent by the runtime's own exporter. */
export class OtelMetrics {
  readonly #tokens: Histogram;
  readonly #seconds: Histogram;
  readonly #firstTokenSeconds: Histogram;
  readonly #cache = new Map<string, RequestAttributes>();

  private constructor(histogram: (name: string, unit: string, bounds: number[]) => Histogram) {
    this.#tokens = histogram("gen_ai.client.token.usage", "{token}", TOKENS);
    this.#seconds = histogram("gen_ai.server.request.duration", "s", SECONDS);
    this.#firstTokenSeconds = histogram("gen_ai.server.time_to_first_token", "s", SECONDS);
  }

  /** Loads the library, which is needed only here. */
  static async load(): Promise<OtelMetrics> {
    const { metrics } = await import("@opentelemetry/api");
    const meter = metrics.getMeter(manifest.name, manifest.version);
    return new OtelMetrics((name, unit, bounds) =>
      meter.createHistogram(name, { unit, advice: { explicitBucketBoundaries: bounds } })
    );
  }

  /** Counts a request whose log row is durable. */
  requestEnded(record: RequestRecord): void {
    const { plain } = this.#attributesOf(record, record.routing);
    this.#seconds.record(record.durationMs / 1_000, plain);
    if (record.firstByteMs !== undefined) {
      this.#firstTokenSeconds.record(record.firstByteMs / 1_000, plain);
    }
    for (const part of partsOf(record)) {
      const { input, output } = this.#attributesOf(record, part);
      if (part.inputTokens > 0) this.#tokens.record(part.inputTokens, input);
      if (part.outputTokens > 0) this.#tokens.record(part.outputTokens, output);
    }
  }

  #attributesOf(
    { endpoint, outcome, errorCode }: RequestRecord,
    { model, provider }: { readonly model: string; readonly provider: string } = NONE,
  ): RequestAttributes {
    const error = outcome === "ok" || outcome === "client_left" ? "" : errorCode ?? outcome;
    const key = `${endpoint} ${error} ${model}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const isRoom = this.#cache.size < CACHE_MAX;
    const plain = {
      "gen_ai.operation.name": operationName(endpoint),
      "gen_ai.provider.name": isRoom ? provider || "none" : "other",
      "gen_ai.response.model": isRoom ? model || "none" : "other",
      ...(error === "" ? {} : { "error.type": error }),
    };
    const attributes = {
      plain,
      input: { ...plain, "gen_ai.token.type": "input" },
      output: { ...plain, "gen_ai.token.type": "output" },
    };
    if (isRoom) this.#cache.set(key, attributes);
    return attributes;
  }
}
