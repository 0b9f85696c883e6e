/**
 * One image call through a provider package. If a model draws fewer images at once than the caller
 * wants, several requests are sent at once and their answers are combined.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import type { ImageModelV4Result } from "@ai-sdk/provider";
import { type LoadedEdit, loadEditImages } from "../../images/edit_images.ts";
import { type FetchImage, isUnreadable } from "../../ports/fetch_image.ts";
import type { UpstreamAnswer, UpstreamCall, UpstreamFailure } from "../../ports/upstream.ts";
import { readImageUsage } from "../../wire/images/answer.ts";
import { parseObject } from "../openai_compatible/body.ts";
import { failureOf, readError, redact } from "../openai_compatible/failure.ts";
import { filesOf, type ImageOptions, imageOptionsOf, imagesAskedFor } from "./image_options.ts";
import { type Drawn, imageBody, imagesOf, settingsOf, usageOf } from "./image_result.ts";
import { Notes } from "./notes.ts";
import type { ChatFormat, ImageFormat, ProviderModels } from "../providers/descriptor.ts";
import { warningTexts } from "./warnings.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A request in flight. */
export interface Sending {
  /** Opens the provider on a `fetch`. */
  readonly open: (fetch: typeof globalThis.fetch) => ProviderModels;
  /** Sends within the limits of the call. */
  readonly fetch: typeof globalThis.fetch;
}

/** Dependencies of an image call. */
export interface DrawingSide {
  readonly format: ImageFormat;
  readonly chat: ChatFormat;
  /** Fetches images by address. Absent: none are fetched. */
  readonly fetchImage: FetchImage | undefined;
  /** Time of the answer, in Unix seconds. */
  readonly createdSeconds: number;
  /** Sends one request, and classifies its failure. */
  readonly send: (
    signal: AbortSignal,
    draw: (sending: Sending) => Promise<Drawn | UpstreamFailure>,
  ) => Promise<Drawn | UpstreamFailure>;
}

/** Answers an image call. Returns failures and throws only for bugs. */
export async function drawImages(call: UpstreamCall, side: DrawingSide): Promise<UpstreamAnswer> {
  const { createdSeconds, fetchImage, format } = side;
  const notes = new Notes(side.chat);
  let options = imageOptionsOf(call, { format, notes });
  if (notes.refusal !== undefined) {
    return { kind: "failure", outcome: "refused_input", ...notes.refusal };
  }
  if (call.endpoint === "images.edits") {
    const edit = await load(call, fetchImage);
    if ("kind" in edit) return edit;
    options = { ...options, ...filesOf(edit, format) };
  }
  const drawn = await drawAll(call, side, options);
  if ("kind" in drawn) return drawn;
  const { warnings } = notes;
  const body = imageBody(drawn, { created: createdSeconds, warnings });
  return { kind: "json", body, usage: readImageUsage(body.value) };
}

async function load(
  { body, signal }: UpstreamCall,
  fetchImage: FetchImage | undefined,
): Promise<LoadedEdit | UpstreamFailure> {
  try {
    const edit = await loadEditImages(body.value, { fetchImage, signal });
    if (!isUnreadable(edit)) return edit;
    const { param, problem } = edit;
    return refusal(`Cannot accept "${param}": ${problem}`, param);
  } catch (error) {
    if (!signal.aborted) throw error;
    return { kind: "failure", outcome: "cancelled", message: "The call was cancelled" };
  }
}

/** Sends all requests of a call. Returns the first failure and aborts the other requests. */
async function drawAll(
  call: UpstreamCall,
  { format: { maxImages }, send }: DrawingSide,
  options: ImageOptions,
): Promise<readonly Drawn[] | UpstreamFailure> {
  const counts = portions(imagesAskedFor(call.body.value), maxImages);
  const stop = new AbortController();
  const signal = counts.length === 1 ? call.signal : AbortSignal.any([call.signal, stop.signal]);
  let failure: UpstreamFailure | undefined;
  const drawn = await Promise.all(counts.map(async (n, at) => {
    // The same seed would draw the same image again.
    const seed = options.seed === undefined ? undefined : options.seed + at;
    const one = await send(signal, (sending) => draw(call, sending, { ...options, n, seed }));
    if (one.kind === "drawn") return [one];
    failure ??= one;
    stop.abort();
    return [];
  }));
  return failure ?? drawn.flat();
}

function portions(total: number, most: number): number[] {
  return Array.from(
    { length: Math.ceil(total / most) },
    (_, at) => Math.min(most, total - at * most),
  );
}

async function draw(
  call: UpstreamCall,
  { fetch, open }: Sending,
  options: ImageOptions & { readonly n: number },
): Promise<Drawn | UpstreamFailure> {
  let answer: Fields | undefined;
  const read: typeof fetch = async (input, init) => {
    const response = await fetch(input, withoutFormat(call.model, init));
    const text = await response.text();
    answer = parseObject(text);
    return new Response(text, { headers: response.headers });
  };
  let result: ImageModelV4Result;
  try {
    result = await open(read).imageModel(call.model).doGenerate(options);
  } catch (error) {
    const failure = answer && failureIn(answer);
    if (failure === undefined) throw error;
    return failure;
  }
  const { images, isRetryable, warnings } = result;
  if (images.length === 0 || images.some((image) => image.length === 0)) {
    if (isRetryable === false) return blocked("The provider's filter refused it");
    return failureIn(answer ?? {}) ??
      { kind: "failure", outcome: "malformed", status: 200, message: "The answer has no image" };
  }
  return {
    kind: "drawn",
    data: imagesOf(images, answer ?? {}),
    usage: usageOf(answer ?? {}),
    settings: settingsOf(answer ?? {}),
    warnings: [...warningTexts(warnings), ...partlyBlocked(answer ?? {})],
  };
}

/** Returns the error of an answer with status 200, as some providers send. */
function failureIn(answer: Fields): UpstreamFailure | undefined {
  const { details, error, status } = answer;
  if (status === "Request Moderated") {
    const reasons = isJsonObject(details) ? details["Moderation Reasons"] : undefined;
    return blocked(Array.isArray(reasons) ? reasons.join(", ") : "The request was moderated");
  }
  // Amazon's models return the reason as a text when they withhold images.
  if (typeof error === "string" && Array.isArray(answer["images"])) return blocked(error);
  const reported = readError(answer);
  return reported && failureOf(reported, { status: 200 });
}

function partlyBlocked({ error }: Fields): string[] {
  return typeof error === "string" ? [redact(error)] : [];
}

function blocked(reason: string): UpstreamFailure {
  return { ...refusal(redact(reason), "prompt"), status: 200, code: "moderation_blocked" };
}

function refusal(message: string, param: string): UpstreamFailure {
  return { kind: "failure", outcome: "refused_input", message, param };
}

/**
 * Removes `response_format` for models that refuse it. On Azure, models have the operator's names,
 * and the package sends the field for every name that it does not know; only the oldest models take
 * it.
 */
function withoutFormat(model: string, init: RequestInit | undefined): RequestInit | undefined {
  if (typeof init?.body !== "string" || /dall-e/i.test(model)) return init;
  const body = parseObject(init.body);
  if (body?.["response_format"] !== "b64_json") return init;
  const { response_format: _, ...rest } = body;
  return { ...init, body: JSON.stringify(rest) };
}
