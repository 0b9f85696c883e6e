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
import { afterMs } from "../../system/deadlines.ts";
import { imageAnswer } from "../../wire/images/answer.ts";
import { isSameUsage } from "../../wire/chat/usage.ts";
import { attempt, type Begun } from "../call/attempt.ts";
import { settleCall } from "../settle/bill.ts";
import type { GatewayContext } from "../context.ts";
import type { ModelAnswer } from "../model_answer.ts";
import { planRoute } from "../plan/route_plan.ts";
import type { Caller, RequestTrace } from "../request_trace.ts";
import { answerInFlight, reserveTokens } from "../admit/in_flight_request.ts";

/** Longest time for fetching the images of an answer that gives addresses, in milliseconds. */
export const DRAWN_FETCH_MS = 30_000;

/** An answer with its images at hand. */
interface DrawnAnswer extends UpstreamJson {
  readonly images: readonly DrawnImage[];
}

type ImageRequest = ImageGenerationRequest | ImageEditRequest;

/**
 * Answers a validated image request. Throws a `ServiceFault` where it cannot, and `CallerDisconnected` where
 * nobody waits for an answer any more; nothing is charged then.
 */
export function drawImages(
  gateway: GatewayContext,
  caller: Caller & { readonly endpoint: ImageEndpoint },
  body: JsonBody,
): Promise<ModelAnswer> {
  return answerInFlight(gateway, caller, async (trace) => {
    const request = body.value as unknown as ImageRequest;
    const features = imageFeatures(caller.endpoint, request);
    reserveTokens(gateway, trace, features);
    const plan = await planRoute(gateway, trace, features);
    const begun = await attempt<DrawnAnswer>(gateway, {
      trace,
      plan,
      features,
      ask: () => ({ endpoint: caller.endpoint, body }),
      open: (answer, { candidate: { upstream } }) => openDrawn(gateway, answer, upstream),
    });
    return { kind: "json", text: await finish(gateway, trace, { begun, request }) };
  });
}

/**
 * Looks at the images, and fetches those that are addresses: a caller who asked for base64 gets it, and
 * one who asked for addresses is not sent to the upstream's own. Who leaves meanwhile has been drawn for.
 */
async function openDrawn(
  gateway: GatewayContext,
  answer: Exclude<UpstreamAnswer, UpstreamFailure>,
  { baseUrl }: Candidate["upstream"],
): Promise<DrawnAnswer> {
  if (answer.kind !== "json") throw new UpstreamCut("malformed", "The upstream streamed images");
  const abort = new AbortController();
  const unwatch = gateway.inFlight.watch(abort);
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
  gateway: GatewayContext,
  trace: RequestTrace,
  call: { readonly begun: Begun<DrawnAnswer>; readonly request: ImageRequest },
): Promise<string> {
  const { begun, request } = call;
  const { answer, candidate, hold } = begun;
  begun.lease.release();
  const { usage, counted } = imageUsage({
    images: answer.images.length,
    reported: answer.usage,
  }, { ...candidate, price: hold.price });
  const { billing, usage: billed } = await settleCall(gateway, trace, {
    begun,
    end: {
      ending: "finished",
      usage,
      count: () => Promise.resolve(counted),
      said: { inputText: () => request.prompt, delivered: () => [] },
      wasDelivered: false,
      request: {
        status: 200,
        outcome: trace.caller.signal.aborted ? "client_left" : "ok",
      },
    },
  });
  return await imageAnswer(answer.body, {
    images: answer.images,
    format: request.response_format ?? "b64_json",
    created: Math.floor(gateway.clock.nowMs() / 1_000),
    metadata: trace.metadata(billing),
    isUsageTrue: usage === undefined || isSameUsage(usage, billed),
    dialect: trace.caller.dialect,
    // The bill is in the books: a store that fails now must not cost the caller what was drawn.
    publish: (file) =>
      gateway.publishFile(file).catch((error) => {
        gateway.logger.error("image_not_published", { cause: String(error) });
        return undefined;
      }),
  });
}
