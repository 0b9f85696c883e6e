/**
 * One image call, from the validated request to the settled bill. Images never stream.
 *
 * @module
 */

import type { ImageEditRequest, ImageGenerationRequest } from "@svc/sdk/protocol";
import {
  type ImageEndpoint,
  imageFeatures,
  imageUsage,
} from "../../domain/requests/image_features.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import { type DrawnImage, drawnImages } from "../../images/drawn_images.ts";
import { fetchDrawnFrom } from "../../images/fetch_drawn.ts";
import {
  type JsonBody,
  type UpstreamAnswer,
  UpstreamCut,
  type UpstreamFailure,
  type UpstreamJson,
} from "../../ports/upstream.ts";
import type { MediaFile } from "../../ports/fetch_image.ts";
import type { KeyLimits } from "../admit/admission.ts";
import { afterMs } from "../../system/deadlines.ts";
import { imageAnswer } from "../../wire/images/answer.ts";
import { isSameUsage } from "../../wire/chat/usage.ts";
import { attempt, type BegunCall, type CallDeps } from "../call/attempt.ts";
import { settleCall, type SettleDeps } from "../settle/bill.ts";
import type { ModelAnswer } from "../request/model_answer.ts";
import { planRoute } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { reserveTokens } from "../admit/answer_in_flight.ts";

/** Maximum time for fetching the images of an answer that has addresses, in milliseconds. */
export const DRAWN_FETCH_MS = 30_000;

/** An answer with the bytes of its images. */
interface DrawnAnswer extends UpstreamJson {
  readonly images: readonly DrawnImage[];
}

type ImageRequest = ImageGenerationRequest | ImageEditRequest;

/** Parts of the service that image requests use. */
export type ImageDeps = CallDeps & SettleDeps & {
  readonly admission: Pick<KeyLimits, "reserve">;
  /** Publishes a file for a while; returns its address, or `undefined` if there is no room. */
  publishFile(file: MediaFile): Promise<string | undefined>;
};

/**
 * Answers a validated image request. Throws a `ServiceFault` if it cannot, and `CallerDisconnected` if
 * the caller disconnects first; nothing is charged then.
 */
export async function drawImages(
  deps: ImageDeps,
  active: ActiveRequest,
  { endpoint, body }: { readonly endpoint: ImageEndpoint; readonly body: JsonBody },
): Promise<ModelAnswer> {
  const request = body.value as unknown as ImageRequest;
  const features = imageFeatures(endpoint, request);
  const reserving = reserveTokens(deps, active, features);
  if (reserving !== undefined) await reserving;
  const plan = await planRoute(deps, active, features);
  const begunCall = await attempt<DrawnAnswer>(deps, {
    active,
    plan,
    features,
    ask: () => ({ endpoint, body }),
    open: (answer, { candidate: { upstream } }) => openDrawn(deps, answer, upstream),
  });
  return { kind: "json", text: await finish(deps, active, { begunCall, request }) };
}

/**
 * Reads the images, and fetches those that are addresses: a caller that asked for base64 receives
 * it, and one that asked for addresses receives none of the upstream. A caller that disconnects
 * meanwhile is charged.
 */
async function openDrawn(
  deps: Pick<ImageDeps, "inFlight">,
  answer: Exclude<UpstreamAnswer, UpstreamFailure>,
  { baseUrl }: Candidate["upstream"],
): Promise<DrawnAnswer> {
  if (answer.kind !== "json") throw new UpstreamCut("malformed", "The upstream streamed images");
  const abort = new AbortController();
  const unwatch = deps.inFlight.watch(abort);
  const callOff = afterMs(DRAWN_FETCH_MS, () => abort.abort("timeout"));
  try {
    const fetchImage = fetchDrawnFrom(baseUrl);
    const images = await drawnImages(answer.body.value, { fetchImage, signal: abort.signal });
    return { ...answer, images };
  } finally {
    callOff();
    unwatch();
  }
}

async function finish(
  deps: ImageDeps,
  active: ActiveRequest,
  call: { readonly begunCall: BegunCall<DrawnAnswer>; readonly request: ImageRequest },
): Promise<string> {
  const { begunCall, request } = call;
  const { answer, candidate, hold } = begunCall;
  begunCall.lease.release();
  const { usage, counted } = imageUsage({
    images: answer.images.length,
    reported: answer.usage,
  }, { ...candidate, price: hold.price });
  const { billing, usage: billed } = await settleCall(deps, active, {
    begunCall,
    end: {
      ending: "finished",
      usage,
      count: () => Promise.resolve(counted),
      content: { inputText: () => request.prompt, delivered: () => [] },
      wasDelivered: false,
      request: { status: 200, outcome: active.signal.aborted ? "client_left" : "ok" },
    },
  });
  return await imageAnswer(answer.body, {
    images: answer.images,
    format: request.response_format ?? "b64_json",
    created: Math.floor(deps.clock.nowMs() / 1_000),
    metadata: active.report.metadata(billing),
    isUsageTrue: usage === undefined || isSameUsage(usage, billed),
    dialect: active.identity.dialect,
    // The settlement is durable: a store that fails now must not cost the caller the images.
    publish: (file) =>
      deps.publishFile(file).catch((error) => {
        deps.logger.error("image_not_published", { cause: String(error) });
        return undefined;
      }),
  });
}
