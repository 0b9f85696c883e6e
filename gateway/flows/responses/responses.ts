/**
 * One response, from the validated request to the settled bill and the place where it is kept.
 *
 * @module
 */

import { ServiceFault } from "../../domain/fault.ts";
import type { Micros } from "../../domain/ledger/money.ts";
import type { Candidate, RoutingPlan } from "../../domain/routing/plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { deliveredText, signedToolCalls } from "../../wire/chat/answer.ts";
import { responseOf } from "../../wire/responses/answer.ts";
import type { ResponseEventRelay } from "../../wire/responses/event_relay.ts";
import { nativeDelivered, nativeResponseText } from "../../wire/responses/native.ts";
import type { ResponseContext } from "../../wire/responses/resource.ts";
import { AnswerStream, type StreamedAnswer } from "../stream/answer_stream.ts";
import { attempt, type Begun } from "../call/attempt.ts";
import { countTokens, settleCall } from "../settle/bill.ts";
import { CallAnswer } from "../call/call_answer.ts";
import { heldTokens } from "../call/call_hold.ts";
import type { GatewayContext } from "../context.ts";
import { FileUrls } from "../plan/file_urls.ts";
import { HostedAnswer } from "../hosted/hosted_answer.ts";
import { type HostedSetup, hostedSetup, laterTurns, webSearchFor } from "../hosted/hosted_setup.ts";
import { asksForHosted, type HostedTools } from "../hosted/hosted_tools.ts";
import {
  countSearches,
  searchesHold,
  searchFee,
  type SearchPrice,
} from "../hosted/native_searches.ts";
import type { PricedWebSearch } from "../hosted/search_tools.ts";
import { lastEvent, notStored, storeResponse } from "./store_response.ts";
import type { ModelAnswer } from "../model_answer.ts";
import { notCarriedBy, type OpenedResponse, openResponse } from "../stream/open_response.ts";
import { orchestrate } from "../orchestrate/orchestrate.ts";
import { OrchestratedResponse } from "../orchestrate/response_surface.ts";
import { conversationOf, planRoute } from "../plan/route_plan.ts";
import type { Caller, RequestTrace } from "../request_trace.ts";
import { AskedResponse } from "./response_routes.ts";
import type { OpenedStream } from "../stream/streamed_call.ts";
import { type PlannedResponse, planWithinContext } from "../plan/truncation.ts";
import { answerInFlight, reserveTokens } from "../admit/in_flight_request.ts";

/** A response that is being made. */
interface ResponseCall {
  readonly asked: AskedResponse;
  readonly plan: Extract<RoutingPlan, { ok: true }>;
  /** Of the hosted tools that the gateway runs where the model has none of its own. */
  readonly hosting: HostedSetup | undefined;
  /** Where the web is searched until the answer is whole, whatever is applied meanwhile. */
  readonly web: PricedWebSearch | undefined;
}

/** Puts a resource by; false where it should have been kept and was not. */
type Keep = (
  resource: string | undefined,
  found?: ReadonlyMap<string, string>,
) => Promise<boolean>;

/**
 * Answers a validated Responses request. Throws a `ServiceFault` where it cannot, and `CallerDisconnected`
 * where nobody waits for an answer any more; nothing is charged then but turns that were complete.
 */
export function respond(
  gateway: GatewayContext,
  caller: Caller,
  request: { readonly body: JsonBody; readonly hosted: HostedTools },
): Promise<ModelAnswer> {
  return answerInFlight(gateway, caller, async (trace, onEnd) => {
    const read = await AskedResponse.read(gateway, caller, request);
    const { asked, plan } = await planResponse(gateway, trace, read);
    reserveTokens(gateway, trace, asked.features);
    const hosting = asksForHosted(asked.hosted) ? hostedSetup(asked.chat, asked.hosted) : undefined;
    const split = await orchestrateResponse(gateway, trace, { asked, plan, onEnd });
    if (split !== undefined) return split;
    const call = {
      asked,
      // What a planner took, in time and money, is gone.
      plan: trace.billed === undefined ? plan : await planRoute(gateway, trace, asked.features),
      hosting,
      web: hosting && webSearchFor(gateway, plan),
    };
    const begun = await beginWithHistory(gateway, trace, call);
    const { answer, candidate } = begun;
    gateway.conversations.set(conversationOf(caller, asked.features), candidate.model.id);
    const keep: Keep = (resource, found) =>
      storeResponse(gateway, trace, { asked, candidate, resource, found });
    if (answer.kind === "json") {
      const text = await finishJson(gateway, trace, { begun: { ...begun, answer }, call });
      return { kind: "json", text: await keep(text) ? text : notStored(text) };
    }
    let streamed: StreamedAnswer;
    if (answer.kind === "turns") {
      let isKept = true;
      const hosted = hostedAnswer(gateway, trace, {
        ...call,
        begun: { ...begun, answer: answer.stream },
        keep: async (resource, found) => isKept = await keep(resource, found),
      });
      if (!caller.stream) {
        const text = await hosted.complete();
        return { kind: "json", text: isKept ? text : notStored(text) };
      }
      streamed = hosted;
    } else {
      const { relay } = answer.stream;
      streamed = new CallAnswer(gateway, {
        trace,
        begun: { ...begun, answer: answer.stream },
        inputText: () => asked.inputText(),
        fee: () => {
          const searches = answer.searches();
          return searches === 0 ? 0n : BigInt(searches) * feeOfSearch(call, candidate);
        },
        keep: async (last) =>
          lastEvent(last, { isKept: await keep(relay.resource), dialect: caller.dialect }),
      });
    }
    const stream = new AnswerStream(gateway, { answer: streamed, trace, onEnd });
    return { kind: "stream", bytes: new ReadableStream(stream) };
  });
}

/** The response by tasks of several models; `undefined` where it is one call. */
function orchestrateResponse(
  gateway: GatewayContext,
  trace: RequestTrace,
  { asked, plan, onEnd }: PlannedResponse & { onEnd(): void },
): Promise<ModelAnswer | undefined> {
  // Tasks and answer are chat completions, whoever is asked.
  const candidates = plan.candidates.filter((candidate) => asked.takesChatRoad(candidate));
  if (candidates.length === 0) return Promise.resolve(undefined);
  const open = { ...plan, candidates };
  return orchestrate(gateway, trace, {
    body: asked.chat,
    features: asked.features,
    plan: open,
    surface: (known) => new OrchestratedResponse(gateway, { ...known, trace, asked, plan: open }),
    onEnd,
  });
}

/** Who may answer, of what fits and can be carried. Files are fetched only where they must be. */
async function planResponse(
  gateway: GatewayContext,
  trace: RequestTrace,
  read: AskedResponse,
): Promise<PlannedResponse> {
  const planned = await planWithinContext(gateway, trace, read);
  if (!planned.asked.needsFiles(planned.plan.candidates)) return planned;
  const { key, signal } = trace.caller;
  const files = new FileUrls(gateway.fetchFile, signal);
  return await planWithinContext(gateway, trace, await read.withFiles(gateway, key, files));
}

/** As `begin`; an upstream that keeps a conversation for a shorter time than the service is told it. */
async function beginWithHistory(
  gateway: GatewayContext,
  trace: RequestTrace,
  call: ResponseCall,
): Promise<Begun<OpenedResponse>> {
  try {
    return await begin(gateway, trace, call);
  } catch (error) {
    const hasForgotten = error instanceof ServiceFault && error.code === "invalid_request" &&
      error.param === "previous_response_id";
    if (!hasForgotten || !call.asked.writeOut()) throw error;
    return await begin(gateway, trace, call);
  }
}

function begin(
  gateway: GatewayContext,
  trace: RequestTrace,
  { asked, plan, hosting }: ResponseCall,
): Promise<Begun<OpenedResponse>> {
  trace.callerPath = (path, candidate) => asked.callerPath(path, candidate);
  return attempt<OpenedResponse>(gateway, {
    trace,
    plan,
    features: asked.features,
    passable: (candidates) => asked.passable(candidates),
    ask: (candidate) =>
      hosting === undefined || asked.roadTo(candidate) === "native"
        ? asked.ask(candidate)
        : { endpoint: "chat", body: hosting.conversation, stream: true },
    fees: (candidate) =>
      asked.hosted.webSearch !== undefined && asked.roadTo(candidate) === "native"
        ? searchesHold(asked.request, priceOfSearch(plan, candidate))
        : 0n,
    open: async (answer, place) => {
      const { candidate } = place;
      const leftOut = asked.leftOut(candidate);
      trace.notCarried = () => leftOut;
      const opened = await openResponse(answer, {
        road: asked.roadTo(candidate) ?? "chat",
        context: contextOf(gateway, trace, { asked, candidate }),
        hosting,
        maxTokens: heldTokens(place),
      });
      trace.notCarried = () => {
        const lines = notCarriedBy(opened);
        return [
          ...leftOut,
          ...asked.roadTo(candidate) === "native" ? lines : asked.linesOfChat(lines),
        ];
      };
      return opened;
    },
  });
}

function priceOfSearch({ tier }: ResponseCall["plan"], { model }: Candidate): SearchPrice {
  return { model, creditsPerUsd: tier.creditsPerUsd };
}

function feeOfSearch({ asked, plan }: ResponseCall, candidate: Candidate): Micros {
  return searchFee(asked.request, priceOfSearch(plan, candidate));
}

function contextOf(
  gateway: GatewayContext,
  trace: RequestTrace,
  call: { readonly asked: AskedResponse; readonly candidate: Candidate },
): ResponseContext {
  return {
    id: gateway.rng.id("resp"),
    request: call.asked.request,
    dialect: trace.caller.dialect,
    model: call.candidate.model.id,
    createdSeconds: Math.floor(trace.atMs / 1_000),
    opening: { request_id: trace.caller.requestId },
    newId: (prefix) => gateway.rng.id(prefix),
  };
}

function hostedAnswer(
  gateway: GatewayContext,
  trace: RequestTrace,
  call: ResponseCall & {
    readonly begun: Begun<OpenedStream<ResponseEventRelay>>;
    readonly keep: Keep;
  },
): HostedAnswer {
  const { asked, web, hosting = hostedSetup(asked.chat, asked.hosted), begun, keep } = call;
  const { relay } = begun.answer;
  const answer: HostedAnswer = new HostedAnswer(gateway, {
    ...hosting,
    trace,
    begun,
    web,
    begin: laterTurns(gateway, trace, { relay, features: asked.features }),
    callsMax: asked.request.max_tool_calls ?? undefined,
    keep: async (last) =>
      lastEvent(last, {
        isKept: await keep(relay.resource, answer.found),
        dialect: trace.caller.dialect,
      }),
  });
  return answer;
}

async function finishJson(
  gateway: GatewayContext,
  trace: RequestTrace,
  { begun, call }: {
    readonly begun: Begun<Extract<OpenedResponse, { kind: "json" }>>;
    readonly call: ResponseCall;
  },
): Promise<string> {
  const { answer: { body, usage }, context, isNative } = begun.answer;
  begun.lease.release();
  if (!isNative) gateway.signatures.remember(trace.caller.key.id, signedToolCalls(body));
  const searches = isNative ? countSearches(body.value["output"]) : 0;
  const left = trace.caller.signal.aborted;
  const inputText = () => call.asked.inputText();
  const delivered = () => left ? [] : isNative ? nativeDelivered(body) : deliveredText(body);
  const { billing, usage: billed } = await settleCall(gateway, trace, {
    begun,
    end: {
      ending: left ? "client_left" : "finished",
      usage,
      count: () => countTokens(gateway, { candidate: begun.candidate, inputText, delivered }),
      said: { inputText, delivered },
      fee: searches === 0 ? 0n : BigInt(searches) * feeOfSearch(call, begun.candidate),
      wasDelivered: false,
      request: { status: 200, outcome: left ? "client_left" : "ok" },
    },
  });
  const end = {
    metadata: trace.metadata(billing),
    usage: billed,
    completedSeconds: Math.floor(gateway.clock.nowMs() / 1_000),
  };
  return isNative ? nativeResponseText(body, context, end) : responseOf(body, context, end);
}
