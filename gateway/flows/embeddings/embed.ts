/**
 * One call of embeddings, from the validated request to the settled bill. It never streams, and is
 * never answered by another model than the key's.
 *
 * @module
 */

import {
  EMBEDDING_TOKENS_MAX,
  type EmbeddingRequest,
  type ServiceMetadata,
} from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import { embeddingFeatureSteps, inputsOf } from "../../domain/requests/embedding_features.ts";
import type { RequestFeatures } from "../../domain/requests/features.ts";
import { likelyInputTokens } from "../../domain/requests/token_estimate.ts";
import {
  type JsonBody,
  type UpstreamAnswer,
  UpstreamCut,
  type UpstreamFailure,
  type UpstreamJson,
} from "../../ports/upstream.ts";
import { afterMs } from "../../system/deadlines.ts";
import { runInSteps } from "../../system/yield_to_event_loop.ts";
import { embeddingsAnswer } from "../../wire/embeddings/answer.ts";
import { type VectorTexts, vectorTextSteps } from "../../wire/embeddings/vectors.ts";
import { editMembers } from "../../wire/json/text.ts";
import type { KeyLimits } from "../admit/admission.ts";
import { reserveTokens } from "../admit/answer_in_flight.ts";
import { attempt, type BegunCall, type CallDeps } from "../call/attempt.ts";
import { voidHold } from "../call/take_hold.ts";
import { planRoute } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { ModelAnswer } from "../request/model_answer.ts";
import { settleCall, type SettleDeps } from "../settle/bill.ts";
import { confirmPin, type PinDeps, type PinnedModel, pinnedModel } from "./pinned_model.ts";

/** Attempts at the one model. */
export const EMBED_ATTEMPTS_MAX = 2;
/** Time before the second attempt, in milliseconds. */
const RETRY_MS = 250;
/** Calls whose answers may be discarded because the pin has changed meanwhile. */
const PIN_CHANGES_MAX = 3;
/**
 * The estimate of texts may exceed the limit by so much: the provider, which counts exactly, decides
 * about those in between.
 */
const ESTIMATE_FACTOR = 1.2;

/** Parts of the service that embeddings use. */
export type EmbedDeps = CallDeps & SettleDeps & PinDeps & {
  readonly admission: Pick<KeyLimits, "reserve">;
};

/** An answer with its vectors in the caller's form. */
interface EmbeddedAnswer extends UpstreamJson {
  readonly vectors: VectorTexts;
}

/** A call of the pinned model. */
interface PinnedCall {
  readonly request: EmbeddingRequest;
  readonly body: JsonBody;
  readonly features: RequestFeatures;
  readonly pinned: PinnedModel;
}

/**
 * Answers a validated request. Throws a `ServiceFault` if it cannot, and `CallerDisconnected` if the
 * caller disconnects first; nothing is charged then. At a key's first call, its model is pinned before
 * the call is charged and answered.
 */
export async function embed(
  deps: EmbedDeps,
  active: ActiveRequest,
  body: JsonBody,
): Promise<ModelAnswer> {
  const request = body.value as unknown as EmbeddingRequest;
  const read = await runInSteps(embeddingFeatureSteps(request));
  requireModest(read);
  const reserving = reserveTokens(deps, active, read);
  if (reserving !== undefined) await reserving;
  for (let changes = 0; changes <= PIN_CHANGES_MAX; changes++) {
    const requested = request.dimensions ?? undefined;
    const { pinned, features } = await pinnedModel(deps, active, { features: read, requested });
    const begunCall = await callPinned(deps, active, { request, body, features, pinned });
    if (await isConfirmed(deps, active, { pinned, begunCall })) {
      return { kind: "json", text: await finish(deps, active, { begunCall, request }) };
    }
  }
  throw new ServiceFault("conflict", {
    message: "The embedding model of this key was changed several times during the call; try again",
  });
}

/** Refuses more tokens than one request may have. Ids are counted, texts are estimated. */
function requireModest(features: RequestFeatures): void {
  const { countedTokens = 0 } = features;
  const isCounted = countedTokens > 0;
  const tokens = isCounted ? countedTokens : likelyInputTokens(features);
  if (tokens <= EMBEDDING_TOKENS_MAX * (isCounted ? 1 : ESTIMATE_FACTOR)) return;
  throw new ServiceFault("invalid_request", {
    message:
      `Cannot embed ${isCounted ? "" : "some "}${tokens} tokens at once: one request takes ` +
      `${EMBEDDING_TOKENS_MAX}; send several`,
    param: "input",
  });
}

/** Calls the model, and once more if it fails in a way that may pass. */
async function callPinned(
  deps: EmbedDeps,
  active: ActiveRequest,
  call: PinnedCall,
): Promise<BegunCall<EmbeddedAnswer>> {
  const { features, pinned } = call;
  const sent = bodyOf(call);
  for (let attempts = 1;; attempts++) {
    const plan = await planRoute(deps, active, features);
    try {
      return await attempt<EmbeddedAnswer>(deps, {
        active,
        plan,
        features,
        ask: () => ({ endpoint: "embeddings", body: sent, stream: false }),
        open: (answer) => opened(answer, call),
      });
    } catch (error) {
      if (attempts >= EMBED_ATTEMPTS_MAX || !mayPass(error, active)) throw named(error, pinned);
    }
    await pause(RETRY_MS, active.signal);
  }
}

/** True for a failure of the upstream that says nothing about the next attempt. */
function mayPass(error: unknown, { report, signal }: ActiveRequest): boolean {
  if (signal.aborted || !(error instanceof ServiceFault)) return false;
  const outcome = report.attempts.at(-1)?.outcome;
  return error.code === "upstream_error" &&
    (outcome === "server_error" || outcome === "connect_failed" || outcome === "malformed");
}

/** Names the model in a failure of all attempts: "every model" would be wrong here. */
function named(error: unknown, { model }: PinnedModel): unknown {
  if (!(error instanceof ServiceFault)) return error;
  const { code, param, retryAfterMs, headers, extra, cause } = error;
  const what = {
    upstream_error: "failed",
    upstream_timeout: "took too long",
    rate_limit_exceeded: "is rate limited by its provider",
  }[code as string];
  if (what === undefined) return error;
  return new ServiceFault(code, {
    message: `The embedding model "${model}" of this key ${what}; no other model takes its place`,
    ...{ param, retryAfterMs, headers, extra, cause },
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      callOff();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const callOff = afterMs(ms, end);
    signal.addEventListener("abort", end, { once: true });
  });
}

/** Returns the body for the upstream, with the pinned length where the model takes one. */
function bodyOf({ body, pinned: { dimensions, sendsDimensions } }: PinnedCall): JsonBody {
  const { dimensions: requested, ...others } = body.value;
  if (!sendsDimensions) {
    if (requested === undefined) return body;
    return { text: editMembers(body.text, { dimensions: undefined }), value: others };
  }
  if (requested === dimensions) return body;
  const text = editMembers(body.text, { dimensions: JSON.stringify(dimensions) });
  return { text, value: { ...others, dimensions } };
}

async function opened(
  answer: Exclude<UpstreamAnswer, UpstreamFailure>,
  { request, pinned: { dimensions } }: PinnedCall,
): Promise<EmbeddedAnswer> {
  if (answer.kind !== "json") throw new UpstreamCut("malformed", "The upstream streamed vectors");
  const vectors = await runInSteps(vectorTextSteps(answer.body.value, {
    count: inputsOf(request.input).length,
    encoding: request.encoding_format ?? "float",
    dimensions,
  }));
  if (typeof vectors === "string") {
    throw new UpstreamCut("malformed", `The answer cannot be used: ${vectors}`);
  }
  return { ...answer, vectors };
}

/** Pins the model. If another call or an operator was first, the answer is discarded, uncharged. */
async function isConfirmed(
  deps: EmbedDeps,
  active: ActiveRequest,
  { pinned, begunCall }: {
    readonly pinned: PinnedModel;
    readonly begunCall: BegunCall<EmbeddedAnswer>;
  },
): Promise<boolean> {
  const { answer, candidate: { model: { upstreamModel } }, hold, lease, span } = begunCall;
  let isPinned = false;
  try {
    const { dimensions } = answer.vectors;
    return isPinned = await confirmPin(deps, active, { pinned, dimensions, upstreamModel });
  } finally {
    if (!isPinned) {
      lease.release();
      voidHold(deps, hold.id, "the embedding model was not pinned");
      span?.end({ error: "not_pinned" });
    }
  }
}

async function finish(
  deps: EmbedDeps,
  active: ActiveRequest,
  { begunCall, request }: {
    readonly begunCall: BegunCall<EmbeddedAnswer>;
    readonly request: EmbeddingRequest;
  },
): Promise<string> {
  const { answer, candidate, lease } = begunCall;
  lease.release();
  const { billing, usage } = await settleCall(deps, active, {
    begunCall,
    end: {
      ending: "finished",
      usage: answer.usage,
      count: async () => ({ input: await countInput(deps, request), output: 0 }),
      content: { inputText: () => inputText(request), delivered: () => [] },
      wasDelivered: false,
      request: { status: 200, outcome: active.signal.aborted ? "client_left" : "ok" },
    },
  });
  const metadata: ServiceMetadata = active.report.metadata(billing);
  return embeddingsAnswer(answer.body.value, {
    vectors: answer.vectors.texts,
    model: candidate.model.id,
    usage,
    metadata,
    dialect: active.identity.dialect,
  });
}

/** Counts the input of an answer without usage: ids as they are, texts by a tokenizer. */
async function countInput(
  { tokens }: Pick<EmbedDeps, "tokens">,
  { input }: EmbeddingRequest,
): Promise<number> {
  let sum = 0;
  for (const one of inputsOf(input)) {
    sum += typeof one === "string" ? await tokens.count(one) : one.length;
  }
  return sum;
}

function inputText({ input }: EmbeddingRequest): string {
  return inputsOf(input).map((one) => typeof one === "string" ? one : JSON.stringify(one))
    .join("\n");
}
