/**
 * What every answer with hosted tools begins with, whatever the endpoint.
 *
 * @module
 */

import { ServiceFault } from "../../domain/fault.ts";
import { chatFeatures, type RequestFeatures } from "../../domain/requests/features.ts";
import { isLocalTool } from "../../domain/requests/hosted_tool_types.ts";
import { invariant } from "../../domain/invariant.ts";
import { feeOf } from "../../domain/ledger/pricing.ts";
import type { Candidate, RoutingPlan } from "../../domain/routing/plan.ts";
import { searchInForce } from "../../domain/catalog/search_in_force.ts";
import { type JsonBody, UpstreamCut, type UpstreamStream } from "../../ports/upstream.ts";
import { readChunk } from "../../wire/chat/chunk.ts";
import { findCitations } from "../../wire/hosted/citations.ts";
import type { FindCitations, HostedNames, HostedRelay } from "../../wire/hosted/relay.ts";
import type { ChatBody } from "../../wire/responses/chat_request.ts";
import { attempt, type Begun } from "../call/attempt.ts";
import type { GatewayContext } from "../context.ts";
import { EventBatcher } from "../stream/event_batcher.ts";
import { planRoute } from "../plan/route_plan.ts";
import type { RequestTrace } from "../request_trace.ts";
import { type OpenedStream, readBeginning } from "../stream/streamed_call.ts";
import {
  chatBodyOf,
  hostedConversation,
  hostedNames,
  type WrittenRequest,
} from "./hosted_conversation.ts";
import type { HostedTools, WebSearchTool } from "./hosted_tools.ts";
import type { PricedWebSearch } from "./search_tools.ts";
import { Sources } from "./sources.ts";

/** A request's hosted tools, ready to be offered to models that have none. */
export interface HostedSetup {
  readonly tools: HostedTools;
  readonly names: HostedNames;
  /** Whether the caller's own functions are declared beside them. */
  readonly hasFunctions: boolean;
  /** The first turn's request. */
  readonly conversation: ChatBody;
  readonly sources: Sources;
  readonly cite: FindCitations;
}

/** Prepares the hosted tools of a chat request. */
export function hostedSetup(
  chat: JsonBody,
  hosted: HostedTools,
  written: WrittenRequest = {},
): HostedSetup {
  const body = chatBodyOf(chat);
  const declared = body.value.tools ?? [];
  const names = hostedNames(declared);
  const sources = new Sources();
  return {
    tools: hosted,
    names,
    hasFunctions: declared.some(({ type }) => isLocalTool(type)),
    conversation: hostedConversation(body, names, written),
    sources,
    cite: findCitations(sources.list),
  };
}

/** Throws a {@linkcode ServiceFault} where a vector store is unknown or another owner's: both alike. */
export function requireStores(
  gateway: GatewayContext,
  walletId: string,
  { fileSearch }: HostedTools,
): void {
  for (const [at, id] of (fileSearch?.storeIds ?? []).entries()) {
    if (gateway.vectorStores.get(id)?.ownerId === walletId) continue;
    throw new ServiceFault("invalid_request", {
      message: `There is no vector store "${id}"; the operator creates them`,
      param: `${fileSearch?.path}.${at}`,
    });
  }
}

/** Whether the web can be searched here. */
export function canSearchWeb(gateway: GatewayContext): boolean {
  return searchInForce(gateway.catalogs.current(), gateway.traitsOf) !== undefined;
}

/** Where the web is searched, at the price of the plan's tier; `undefined` where nowhere. */
export function webSearchFor(
  gateway: GatewayContext,
  { tier }: Extract<RoutingPlan, { ok: true }>,
): PricedWebSearch | undefined {
  const catalog = gateway.catalogs.current();
  const config = searchInForce(catalog, gateway.traitsOf);
  if (config === undefined) return undefined;
  const fee = feeOf(config.pricePerSearch, tier.creditsPerUsd);
  invariant(fee !== undefined, `Cannot read the price of a search, "${config.pricePerSearch}"`);
  return { search: gateway.webSearch(config), fee, priceVersion: catalog.version };
}

/** What the request's hosted tools ask for, and those of the gateway cannot do, a line each. */
export function leftOutOf(gateway: GatewayContext, hosted: HostedTools): readonly string[] {
  const { webSearch, leftOut = [] } = hosted;
  const config = searchInForce(gateway.catalogs.current(), gateway.traitsOf);
  if (webSearch?.userLocation === undefined || config === undefined) return leftOut;
  const unused = gateway.webSearch(config).unusedOf(webSearch.userLocation);
  const places = unused.map((name) =>
    `${webSearch.path}.user_location.${name}: the search server cannot be told it`
  );
  return [...leftOut, ...places];
}

/** What the caller is told who forbids the gateway's own search, where there is no other. */
export function liveOnly({ path }: WebSearchTool): ServiceFault {
  return new ServiceFault("invalid_request", {
    message: 'Cannot search the web with "external_web_access": false: the search here is live; ' +
      "leave the member out, or the tool",
    param: `${path}.external_web_access`,
  });
}

/** What the caller is told where nobody can search the web. */
export function noWebSearch(): ServiceFault {
  return new ServiceFault("unsupported_tool", {
    message: 'No web search is configured here; the operator names one under "search"',
    param: "tools",
  });
}

/** A model that is to call functions must know how. */
export function needsTools(features: RequestFeatures): RequestFeatures {
  if (features.needs.includes("tools")) return features;
  const needPaths = { ...features.needPaths, tools: "tools" };
  return { ...features, needs: [...features.needs, "tools"], needPaths };
}

/** Whether a model can be asked for a chat completion, also where another endpoint was called. */
export function takesChat({ model, upstream }: Candidate): boolean {
  return upstream.kind !== "openai" || model.endpoints.includes("chat");
}

/** Begins a later turn of an answer. `signal`: aborted when nobody waits for it. */
export type BeginTurn = (
  conversation: ChatBody,
  signal: AbortSignal,
) => Promise<Begun<OpenedStream<HostedRelay>>>;

/** Later turns of an answer are routed anew, for what the conversation has become. */
export function laterTurns(
  gateway: GatewayContext,
  trace: RequestTrace,
  answer: {
    readonly relay: HostedRelay;
    /** Of the first turn. */
    readonly features: RequestFeatures;
  },
): BeginTurn {
  const { conversation: name, endpoint, hostedTools } = answer.features;
  return async (conversation, signal) => {
    const asked = chatFeatures(conversation.value);
    // It is the same conversation, whatever it is written like by now.
    const features = { ...asked, conversation: name, endpoint, hostedTools };
    const plan = await planRoute(gateway, trace, features);
    return await attempt(gateway, {
      trace,
      plan,
      features,
      passable: (candidates) => candidates.filter(takesChat),
      signal,
      ask: () => ({
        endpoint: "chat",
        body: conversation,
        isOwnChoice: conversation.isOwnChoice,
        stream: true,
      }),
      open: async (opened, { candidate: { model } }) => {
        if (opened.kind !== "stream") throw notStreamed();
        const begun = await openHosted(opened, answer.relay);
        answer.relay.answeredBy(model.id);
        return begun;
      },
    });
  };
}

/**
 * Opens a turn: waits for its first event, and leaves that to be read. The relay has other turns
 * before it, and must not hear of one that failed before it began. Throws an
 * {@linkcode UpstreamCut} where there is no event, or the first is broken.
 */
export async function openHosted<Relay extends HostedRelay>(
  answer: UpstreamStream,
  relay: Relay,
): Promise<OpenedStream<Relay>> {
  const { events, taken } = await readBeginning(answer, (texts) => {
    const [first] = texts;
    if (first === undefined) return undefined;
    readChunk(first);
    return texts;
  });
  return { events: new EventBatcher(startingWith(taken, events)), relay, first: "" };
}

/** What has been read already, and then the rest. */
function startingWith<T>(read: T, rest: AsyncIterator<T>): AsyncIterator<T> {
  let isRead = false;
  return {
    next: () => {
      if (isRead) return rest.next();
      isRead = true;
      return Promise.resolve({ done: false, value: read });
    },
    return: () => rest.return?.() ?? Promise.resolve({ done: true, value: undefined }),
  };
}

/** An upstream that was asked for a stream and sent something else. */
export function notStreamed(): UpstreamCut {
  return new UpstreamCut("malformed", "The upstream did not stream");
}
