/**
 * One response, from the validated request to the settled bill and its storage.
 *
 * @module
 */

import { ServiceFault } from "../../domain/fault.ts";
import type { Micros } from "../../domain/ledger/money.ts";
import type { Candidate, RoutingPlan } from "../../domain/routing/plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { deliveredText, signedToolCalls } from "../../wire/chat/answer.ts";
import { observedCompletion } from "../../wire/chat/observed.ts";
import { observedResponse } from "../../wire/responses/observed.ts";
import { responseOf } from "../../wire/responses/answer.ts";
import type { ResponseEventRelay } from "../../wire/responses/event_relay.ts";
import { nativeDelivered, nativeResponseText } from "../../wire/responses/native.ts";
import type { ResponseContext } from "../../wire/responses/resource.ts";
import type { StreamDeps } from "../stream/streamed_call.ts";
import type { KeyLimits } from "../admit/admission.ts";
import type { ChatDeps } from "../chat/chat_call.ts";
import type { SearchMemory } from "../hosted/search_memory.ts";
import type { SignatureMemory } from "../plan/signature_memory.ts";
import type { FetchFile } from "../../ports/fetch_image.ts";
import type { ResponseStore } from "../../ports/response_store.ts";
import type { VectorStores } from "../../ports/vector_stores.ts";
import { AnswerStream, type StreamedAnswer } from "../stream/answer_stream.ts";
import { attempt, type BegunCall } from "../call/attempt.ts";
import { countTokens, settleCall } from "../settle/bill.ts";
import { CallAnswer } from "../stream/call_answer.ts";
import { heldTokens } from "../call/call_hold.ts";
import { FileUrls } from "./file_urls.ts";
import { HostedAnswer, type HostedAnswerDeps } from "../hosted/hosted_answer.ts";
import { type HostedSetup, hostedSetup, laterTurns, webSearchFor } from "../hosted/hosted_setup.ts";
import { asksForHosted, type HostedTools } from "../hosted/hosted_tools.ts";
import {
  countSearches,
  searchesHold,
  searchFee,
  type SearchPrice,
} from "../hosted/native_searches.ts";
import type { PricedWebSearch } from "../hosted/search_tools.ts";
import { lastEvent, notStored, storeResponse, type StoreResponseDeps } from "./store_response.ts";
import type { ModelAnswer } from "../request/model_answer.ts";
import { notCarriedBy, type OpenedResponse, openResponse } from "./open_response.ts";
import type { OrchestrateDeps } from "../orchestrate/orchestrate.ts";
import type { Audits } from "../learn/audits.ts";
import { composeResponse, offerAudit } from "./compose_response.ts";
import { conversationOf, planRoute } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { type ReadResponseDeps, ResponseRequest } from "./response_routes.ts";
import type { OpenedStream } from "../stream/opened_stream.ts";
import { type PlannedResponse, planWithinContext } from "./truncation.ts";
import { reserveTokens } from "../admit/answer_in_flight.ts";

/** A response in progress. */
interface ResponseCall {
  readonly request: ResponseRequest;
  readonly plan: Extract<RoutingPlan, { ok: true }>;
  /** Setup of the hosted tools that the gateway runs for models without tools of that kind. */
  readonly hosting: HostedSetup | undefined;
  /** Back end of web search until the answer is complete, even if another catalog is applied. */
  readonly web: PricedWebSearch | undefined;
}

/** Stores the resource of a response. Returns false if required storage failed. */
type Store = (
  resource: string | undefined,
  findings?: ReadonlyMap<string, string>,
) => Promise<boolean>;

/** Parts of the service that Responses requests use. */
export type ResponseDeps =
  & ChatDeps
  & HostedAnswerDeps
  & OrchestrateDeps
  & ReadResponseDeps
  & StoreResponseDeps
  & {
    readonly admission: Pick<KeyLimits, "reserve">;
    readonly audits: Pick<Audits, "offer">;
    /** Fetches a document that a caller points to. */
    readonly fetchFile: FetchFile;
    readonly responses: ResponseStore;
    readonly searchMemory: SearchMemory;
    readonly signatures: SignatureMemory;
    readonly vectorStores: VectorStores;
  };

/**
 * Answers a validated Responses request. Throws a `ServiceFault` if it cannot, and `CallerDisconnected`
 * if the caller disconnects first; only turns that were complete are charged then.
 */
export async function respond(
  deps: ResponseDeps,
  active: ActiveRequest,
  incoming: {
    readonly body: JsonBody;
    readonly hosted: HostedTools;
    /** Called when a stream has been settled, or could not be. */
    readonly onEnd: () => void;
  },
): Promise<ModelAnswer> {
  const { onEnd } = incoming;
  const read = await ResponseRequest.read(deps, active, incoming);
  const { request, plan } = await planResponse(deps, active, read);
  const reserving = reserveTokens(deps, active, request.features);
  if (reserving !== undefined) await reserving;
  active.noteChatRequest(request.chat);
  const hosting = asksForHosted(request.hosted)
    ? hostedSetup(request.chat, request.hosted)
    : undefined;
  const composed = await composeResponse(deps, active, { request, plan, onEnd });
  if (composed !== undefined) return composed;
  const call = {
    request,
    // A planner that was called has used time and money of the request.
    plan: active.bill.settled === undefined
      ? plan
      : await planRoute(deps, active, request.features),
    hosting,
    web: hosting && webSearchFor(deps, plan),
  };
  const begunCall = await beginWithHistory(deps, active, call);
  const { answer, candidate } = begunCall;
  deps.conversations.set(conversationOf(active, request.features), candidate.model.id);
  const audit = () => hosting === undefined && offerAudit(deps, active, call);
  const store: Store = (resource, findings) =>
    storeResponse(deps, active, { request, candidate, resource, findings });
  if (answer.kind === "json") {
    const text = await finishJson(deps, active, { begunCall: { ...begunCall, answer }, call });
    const stored = await store(text) ? text : notStored(text);
    audit();
    return { kind: "json", text: stored };
  }
  const streamed = answer.kind === "turns"
    ? await inTurns(deps, active, {
      begunCall: { ...begunCall, answer: answer.stream },
      call,
      store,
    })
    : singleCall(deps, active, { begunCall: { ...begunCall, answer }, call, store });
  if (typeof streamed === "string") return { kind: "json", text: streamed };
  const onStreamEnd = () => {
    onEnd();
    audit();
  };
  const stream = new AnswerStream(deps, { answer: streamed, active, onEnd: onStreamEnd });
  return { kind: "stream", bytes: new ReadableStream(stream) };
}

/** Returns an answer of several turns: its text, or the stream that the caller asked for. */
async function inTurns(
  deps: ResponseDeps,
  active: ActiveRequest,
  { begunCall, call, store }: {
    readonly begunCall: Parameters<typeof hostedAnswer>[2]["begunCall"];
    readonly call: ResponseCall;
    readonly store: Store;
  },
): Promise<StreamedAnswer | string> {
  let isStored = true;
  const hosted = hostedAnswer(deps, active, {
    ...call,
    begunCall,
    store: async (resource, findings) => isStored = await store(resource, findings),
  });
  if (active.identity.stream) return hosted;
  const text = await hosted.complete();
  return isStored ? text : notStored(text);
}

/** Returns the streamed answer that is one call of a model. */
function singleCall(
  deps: StreamDeps,
  active: ActiveRequest,
  { begunCall, call, store }: {
    readonly begunCall: BegunCall<Extract<OpenedResponse, { kind: "stream" }>>;
    readonly call: ResponseCall;
    readonly store: Store;
  },
): CallAnswer {
  const { answer, candidate } = begunCall;
  const { relay } = answer.stream;
  const { dialect } = active.identity;
  return new CallAnswer(deps, {
    active,
    begunCall: { ...begunCall, answer: answer.stream },
    inputText: () => call.request.inputText(),
    fee: () => {
      const searches = answer.searches();
      return searches === 0 ? 0n : BigInt(searches) * feeOfSearch(call, candidate);
    },
    store: async (last) => lastEvent(last, { isStored: await store(relay.resource), dialect }),
  });
}

/** Plans a request within the context of the models. Files are fetched only if they must be. */
async function planResponse(
  deps: ResponseDeps,
  active: ActiveRequest,
  read: ResponseRequest,
): Promise<PlannedResponse> {
  const planned = await planWithinContext(deps, active, read);
  if (!planned.request.needsFiles(planned.plan.candidates)) return planned;
  const { key } = active.identity;
  const files = new FileUrls(deps.fetchFile, active.signal);
  return await planWithinContext(deps, active, await read.withFiles(deps, key, files));
}

/**
 * Begins an answer. If an upstream has forgotten the conversation that the service still stores,
 * sends it the whole conversation.
 */
async function beginWithHistory(
  deps: ResponseDeps,
  active: ActiveRequest,
  call: ResponseCall,
): Promise<BegunCall<OpenedResponse>> {
  try {
    return await begin(deps, active, call);
  } catch (error) {
    const hasForgotten = error instanceof ServiceFault && error.code === "invalid_request" &&
      error.param === "previous_response_id";
    if (!hasForgotten || !call.request.writeOut()) throw error;
    return await begin(deps, active, call);
  }
}

function begin(
  deps: ResponseDeps,
  active: ActiveRequest,
  { request, plan, hosting }: ResponseCall,
): Promise<BegunCall<OpenedResponse>> {
  return attempt<OpenedResponse>(deps, {
    active,
    plan,
    features: request.features,
    passable: (candidates) => request.passable(candidates),
    callerPath: (path, candidate) => request.callerPath(path, candidate),
    ask: (candidate) =>
      hosting === undefined || request.routeTo(candidate) === "native"
        ? request.callFor(candidate)
        : { endpoint: "chat", body: hosting.conversation, stream: true },
    fees: (candidate) =>
      request.hosted.webSearch !== undefined && request.routeTo(candidate) === "native"
        ? searchesHold(request.params, priceOfSearch(plan, candidate))
        : 0n,
    open: async (answer, capacity) => {
      const { candidate } = capacity;
      const omissions = request.leftOut(candidate);
      active.report.noteOmissions(() => omissions);
      const opened = await openResponse(answer, {
        route: request.routeTo(candidate) ?? "chat",
        context: contextOf(deps, active, { request, candidate }),
        hosting,
        maxTokens: heldTokens(capacity),
      });
      active.report.noteOmissions(() => {
        const lines = notCarriedBy(opened);
        return [
          ...omissions,
          ...request.routeTo(candidate) === "native" ? lines : request.linesOfChat(lines),
        ];
      });
      return opened;
    },
  });
}

function priceOfSearch({ tier }: ResponseCall["plan"], { model }: Candidate): SearchPrice {
  return { model, creditsPerUsd: tier.creditsPerUsd };
}

function feeOfSearch({ request, plan }: ResponseCall, candidate: Candidate): Micros {
  return searchFee(request.params, priceOfSearch(plan, candidate));
}

function contextOf(
  deps: ResponseDeps,
  active: ActiveRequest,
  call: { readonly request: ResponseRequest; readonly candidate: Candidate },
): ResponseContext {
  return {
    id: deps.rng.id("resp"),
    request: call.request.params,
    dialect: active.identity.dialect,
    model: call.candidate.model.id,
    createdSeconds: Math.floor(active.atMs / 1_000),
    opening: { request_id: active.identity.requestId },
    newId: (prefix) => deps.rng.id(prefix),
  };
}

function hostedAnswer(
  deps: ResponseDeps,
  active: ActiveRequest,
  call: ResponseCall & {
    readonly begunCall: BegunCall<OpenedStream<ResponseEventRelay>>;
    readonly store: Store;
  },
): HostedAnswer {
  const { request, web, hosting = hostedSetup(request.chat, request.hosted), begunCall, store } =
    call;
  const { relay } = begunCall.answer;
  const answer: HostedAnswer = new HostedAnswer(deps, {
    ...hosting,
    active,
    begunCall,
    web,
    begin: laterTurns(deps, active, {
      relay,
      features: request.features,
      callerPath: (path, candidate) => request.callerPath(path, candidate),
    }),
    callsMax: request.params.max_tool_calls ?? undefined,
    store: async (last) =>
      lastEvent(last, {
        isStored: await store(relay.resource, answer.findings),
        dialect: active.identity.dialect,
      }),
  });
  return answer;
}

async function finishJson(
  deps: ResponseDeps,
  active: ActiveRequest,
  { begunCall, call }: {
    readonly begunCall: BegunCall<Extract<OpenedResponse, { kind: "json" }>>;
    readonly call: ResponseCall;
  },
): Promise<string> {
  const { answer: { body, usage }, context, isNative } = begunCall.answer;
  begunCall.lease.release();
  if (!isNative) deps.signatures.remember(active.key.id, signedToolCalls(body));
  const searches = isNative ? countSearches(body.value["output"]) : 0;
  const hasLeft = active.signal.aborted;
  const inputText = () => call.request.inputText();
  const delivered = () => hasLeft ? [] : isNative ? nativeDelivered(body) : deliveredText(body);
  const { billing, usage: billed } = await settleCall(deps, active, {
    begunCall,
    end: {
      ending: hasLeft ? "client_left" : "finished",
      usage,
      count: () => countTokens(deps, { candidate: begunCall.candidate, inputText, delivered }),
      content: { inputText, delivered },
      answer: () => isNative ? observedResponse(body.value) : observedCompletion(body),
      fee: searches === 0 ? 0n : BigInt(searches) * feeOfSearch(call, begunCall.candidate),
      wasDelivered: false,
      request: { status: 200, outcome: hasLeft ? "client_left" : "ok" },
    },
  });
  const end = {
    metadata: active.report.metadata(billing),
    usage: billed,
    completedSeconds: Math.floor(deps.clock.nowMs() / 1_000),
  };
  return isNative ? nativeResponseText(body, context, end) : responseOf(body, context, end);
}
