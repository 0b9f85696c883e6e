/**
 * One call of embeddings through a provider package. If a model takes fewer inputs at once than the
 * caller sends, several requests are sent, some at a time, and their answers are combined.
 *
 * @module
 */

import type { EmbeddingModelV4, EmbeddingModelV4Result, JSONObject } from "@ai-sdk/provider";
import type { UpstreamAnswer, UpstreamCall, UpstreamFailure } from "../../ports/upstream.ts";
import { readEmbeddingUsage } from "../../wire/embeddings/answer.ts";
import type { EmbeddingFormat, ProviderModels } from "../providers/descriptor.ts";
import { warningTexts } from "./warnings.ts";

/** Requests of one call that are in flight at once. */
const REQUESTS_AT_ONCE = 8;

/** The vectors of some of the inputs. */
export interface EmbeddedPortion extends Pick<EmbeddingModelV4Result, "embeddings" | "warnings"> {
  readonly kind: "embedded";
  /** Absent where the provider counts none. */
  readonly tokens?: number | undefined;
}

/** Dependencies of a call. */
export interface EmbeddingSide {
  readonly format: EmbeddingFormat;
  /** Sends one request, and classifies its failure. */
  readonly send: (
    signal: AbortSignal,
    ask: (models: ProviderModels) => Promise<EmbeddedPortion | UpstreamFailure>,
  ) => Promise<EmbeddedPortion | UpstreamFailure>;
}

/** Members of a request that are translated, or have no effect on the vectors. */
const KNOWN: readonly string[] = ["model", "input", "encoding_format", "user", "dimensions"];

/** Answers a call of embeddings. Returns failures and throws only for bugs. */
export async function embedTexts(call: UpstreamCall, side: EmbeddingSide): Promise<UpstreamAnswer> {
  const texts = textsOf(call.body.value["input"]);
  if (texts === undefined) {
    const message = "This provider embeds texts, not token ids";
    return { kind: "failure", outcome: "refused_input", message, param: "input" };
  }
  const portions = await embedAll(call, side, texts);
  if ("kind" in portions) return portions;
  const data = portions.flatMap(({ embeddings }) => embeddings)
    .map((embedding, index) => ({ object: "embedding", index, embedding }));
  const usage = usageOf(portions);
  const warnings = [...new Set(portions.flatMap(({ warnings }) => warningTexts(warnings)))];
  warnings.push(...leftOut(call, side.format));
  const value = {
    ...{ object: "list", data, model: call.model },
    ...usage === undefined ? {} : { usage },
    ...warnings.length === 0 ? {} : { upstream_warnings: warnings },
  };
  return { kind: "json", body: { text: "", value }, usage: readEmbeddingUsage(value) };
}

function textsOf(input: unknown): readonly string[] | undefined {
  const inputs: readonly unknown[] = Array.isArray(input) ? input : [input];
  const texts = inputs.filter((one) => typeof one === "string");
  return texts.length === inputs.length ? texts : undefined;
}

/** Sends all requests of a call. Returns the first failure and aborts the other requests. */
async function embedAll(
  call: UpstreamCall,
  { format, send }: EmbeddingSide,
  texts: readonly string[],
): Promise<readonly EmbeddedPortion[] | UpstreamFailure> {
  const stop = new AbortController();
  const signal = AbortSignal.any([call.signal, stop.signal]);
  const providerOptions = optionsOf(call, format);
  const done: EmbeddedPortion[] = [];
  let failure: UpstreamFailure | undefined;
  let most = 0;
  /** Embeds the texts from a place on, as many as one request takes. */
  const embedFrom = async (place: number, at: number): Promise<void> => {
    const answer = await send(signal, async (models) => {
      const model = models.embeddingModel?.(call.model);
      if (model === undefined) return noModel(call);
      if (most === 0) most = await portionOf(model, texts.length);
      return await embedded(model, {
        values: texts.slice(place, place + most),
        abortSignal: signal,
        ...providerOptions === undefined ? {} : { providerOptions },
      });
    });
    if (answer.kind === "embedded") return void (done[at] = answer);
    failure ??= answer;
    stop.abort();
  };
  // The first request says how many texts the others may have.
  await embedFrom(0, 0);
  const places = Array.from(
    { length: Math.ceil(texts.length / Math.max(1, most)) },
    (_, at) => at,
  ).slice(1);
  const work = async () => {
    for (let at = places.shift(); at !== undefined && failure === undefined; at = places.shift()) {
      await embedFrom(at * most, at);
    }
  };
  await Promise.all(Array.from({ length: Math.min(REQUESTS_AT_ONCE, places.length) }, work));
  return failure ?? done;
}

async function portionOf(model: EmbeddingModelV4, count: number): Promise<number> {
  return Math.min(await model.maxEmbeddingsPerCall ?? 1, count);
}

function noModel({ model }: UpstreamCall): UpstreamFailure {
  const message = `Cannot embed with "${model}": its provider has no embeddings`;
  return { kind: "failure", outcome: "server_error", message };
}

async function embedded(
  model: EmbeddingModelV4,
  options: Parameters<EmbeddingModelV4["doEmbed"]>[0],
): Promise<EmbeddedPortion | UpstreamFailure> {
  const { embeddings, usage, warnings } = await model.doEmbed(options);
  if (embeddings.length !== options.values.length) {
    const message =
      `The answer has ${embeddings.length} vectors for ${options.values.length} texts`;
    return { kind: "failure", outcome: "malformed", status: 200, message };
  }
  return { kind: "embedded", embeddings, warnings, tokens: usage?.tokens };
}

/** Returns the package's options: the length of the vectors, and the purpose of the texts. */
function optionsOf(
  { body: { value } }: UpstreamCall,
  { optionsKey, dimensions, fields = {} }: EmbeddingFormat,
): Record<string, JSONObject> | undefined {
  const options: Record<string, string | number> = {};
  if (typeof value["dimensions"] === "number") {
    for (const name of dimensions) options[name] = value["dimensions"];
  }
  for (const [name, own] of Object.entries(fields)) {
    const text = value[name];
    if (typeof text === "string") options[own] = text;
  }
  return Object.keys(options).length === 0 ? undefined : { [optionsKey]: options };
}

function leftOut({ body: { value } }: UpstreamCall, { fields = {} }: EmbeddingFormat): string[] {
  return Object.keys(value).filter((name) => !KNOWN.includes(name) && !Object.hasOwn(fields, name))
    .map((name) => `"${name}" is not supported and was left out`);
}

/** Returns the sum of the counts; `undefined` where one of them is missing. */
function usageOf(
  portions: readonly EmbeddedPortion[],
): { readonly prompt_tokens: number; readonly total_tokens: number } | undefined {
  let sum = 0;
  for (const { tokens } of portions) {
    if (tokens === undefined || !Number.isSafeInteger(tokens)) return undefined;
    sum += tokens;
  }
  return { prompt_tokens: sum, total_tokens: sum };
}
