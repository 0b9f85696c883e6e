/**
 * The beginning of every answer with hosted tools, for all endpoints.
 *
 * @module
 */

import type { SearchConfig } from "../../domain/catalog/catalog.ts";
import type { CatalogStore } from "../../ports/catalog_store.ts";
import type { VectorStores } from "../../ports/vector_stores.ts";
import type { WebSearch } from "../../ports/web_search.ts";
import { ServiceFault } from "../../domain/fault.ts";
import { chatFeatures, type RequestFeatures } from "../../domain/requests/features.ts";
import { isLocalTool } from "../../domain/requests/hosted_tool_types.ts";
import { invariant } from "../../domain/invariant.ts";
import { feeOf } from "../../domain/ledger/pricing.ts";
import type { Candidate, RoutingPlan } from "../../domain/routing/plan.ts";
import type { TraitsOf } from "../../domain/catalog/provider_traits.ts";
import { searchInForce } from "../../domain/catalog/search_in_force.ts";
import { type JsonBody, UpstreamCut, type UpstreamStream } from "../../ports/upstream.ts";
import { readChunk } from "../../wire/chat/chunk.ts";
import { findCitations } from "../../wire/hosted/citations.ts";
import type { FindCitations, HostedNames, HostedRelay } from "../../wire/hosted/relay.ts";
import type { ChatBody } from "../../wire/responses/chat_request.ts";
import { attempt, type AttemptRequest, type BegunCall, type CallDeps } from "../call/attempt.ts";
import { EventBatcher } from "../stream/event_batcher.ts";
import { planRoute } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { type OpenedStream, readBeginning } from "../stream/opened_stream.ts";
import {
  chatBodyOf,
  hostedConversation,
  hostedNames,
  type WrittenRequest,
} from "./hosted_conversation.ts";
import type { HostedTools, WebSearchTool } from "./hosted_tools.ts";
import type { PricedWebSearch } from "./search_tools.ts";
import { Sources } from "./sources.ts";

/** Parts of the service that hosted web search uses. */
export interface WebSearchDeps {
  readonly catalogs: Pick<CatalogStore, "current">;
  /** Traits of the kinds of upstreams. */
  readonly traitsOf: TraitsOf;
  /** Returns the back end for a configuration of the catalog. */
  webSearch(config: SearchConfig): WebSearch;
}

/** The hosted tools of a request, as they are offered to models that have none. */
export interface HostedSetup {
  readonly tools: HostedTools;
  readonly names: HostedNames;
  /** True when functions of the caller are declared beside them. */
  readonly hasFunctions: boolean;
  /** The request of the first turn. */
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

/**
 * Throws a {@linkcode ServiceFault} if a vector store is unknown or has another owner: the message
 * is the same.
 */
export async function requireStores(
  deps: { readonly vectorStores: Pick<VectorStores, "find"> },
  walletId: string,
  { fileSearch }: HostedTools,
): Promise<void> {
  for (const [at, id] of (fileSearch?.storeIds ?? []).entries()) {
    if ((await deps.vectorStores.find(id))?.ownerId === walletId) continue;
    throw new ServiceFault("invalid_request", {
      message: `There is no vector store "${id}" of this wallet`,
      param: `${fileSearch?.path}.${at}`,
    });
  }
}

/** True when a web search is configured. */
export function canSearchWeb(deps: Pick<WebSearchDeps, "catalogs" | "traitsOf">): boolean {
  return searchInForce(deps.catalogs.current(), deps.traitsOf) !== undefined;
}

/**
 * Returns the configured web search with its price at the tier of the plan; `undefined` if there is
 * none.
 */
export function webSearchFor(
  deps: WebSearchDeps,
  { tier }: Extract<RoutingPlan, { ok: true }>,
): PricedWebSearch | undefined {
  const catalog = deps.catalogs.current();
  const config = searchInForce(catalog, deps.traitsOf);
  if (config === undefined) return undefined;
  const fee = feeOf(config.pricePerSearch, tier.creditsPerUsd);
  invariant(fee !== undefined, `Cannot read the price of a search, "${config.pricePerSearch}"`);
  return { search: deps.webSearch(config), fee, priceVersion: catalog.version };
}

/** Returns lines about parts of the hosted tools that the gateway's own cannot do. */
export function leftOutOf(deps: WebSearchDeps, hosted: HostedTools): readonly string[] {
  const { webSearch, leftOut = [] } = hosted;
  const config = searchInForce(deps.catalogs.current(), deps.traitsOf);
  if (webSearch?.userLocation === undefined || config === undefined) return leftOut;
  const unused = deps.webSearch(config).unusedOf(webSearch.userLocation);
  const places = unused.map((name) =>
    `${webSearch.path}.user_location.${name}: the search server takes no such field`
  );
  return [...leftOut, ...places];
}

/** Returns the fault for a request that forbids live search, the only kind here. */
export function liveOnly({ path }: WebSearchTool): ServiceFault {
  return new ServiceFault("invalid_request", {
    message: 'Cannot search the web with "external_web_access": false: the search here is live; ' +
      "leave the member out, or the tool",
    param: `${path}.external_web_access`,
  });
}

/** Returns the fault for a request for web search when none is configured. */
export function noWebSearch(): ServiceFault {
  return new ServiceFault("unsupported_tool", {
    message: 'No web search is configured here; the operator names one under "search"',
    param: "tools",
  });
}

/** Returns features that require a model which can call functions. */
export function needsTools(features: RequestFeatures): RequestFeatures {
  if (features.needs.includes("tools")) return features;
  const needPaths = { ...features.needPaths, tools: "tools" };
  return { ...features, needs: [...features.needs, "tools"], needPaths };
}

/** True when a model can be sent a chat completion request, also for another endpoint. */
export function takesChat({ model, upstream }: Candidate): boolean {
  return upstream.kind !== "openai" || model.endpoints.includes("chat");
}

/** Begins a later turn of an answer. `signal`: aborted when the turn is no longer needed. */
export type BeginTurn = (
  conversation: ChatBody,
  signal: AbortSignal,
) => Promise<BegunCall<OpenedStream<HostedRelay>>>;

/**
 * Returns a function that begins later turns: each is routed again for the conversation as it is
 * then.
 */
export function laterTurns(
  deps: CallDeps,
  active: ActiveRequest,
  answer: {
    readonly relay: HostedRelay;
    /** Features of the first turn. */
    readonly features: RequestFeatures;
    /** As in {@linkcode AttemptRequest}. */
    readonly callerPath?: AttemptRequest<unknown>["callerPath"];
  },
): BeginTurn {
  const { conversation: name, endpoint, hostedTools } = answer.features;
  return async (conversation, signal) => {
    const current = chatFeatures(conversation.value);
    // It remains the same conversation, although its text has changed.
    const features = { ...current, conversation: name, endpoint, hostedTools };
    const plan = await planRoute(deps, active, features);
    return await attempt(deps, {
      active,
      plan,
      features,
      passable: (candidates) => candidates.filter(takesChat),
      signal,
      ...(answer.callerPath === undefined ? {} : { callerPath: answer.callerPath }),
      ask: () => ({
        endpoint: "chat",
        body: conversation,
        isOwnChoice: conversation.isOwnChoice,
        stream: true,
      }),
      open: async (opened, { candidate: { model } }) => {
        if (opened.kind !== "stream") throw notStreamed();
        const begunCall = await openHosted(opened, answer.relay);
        answer.relay.answeredBy(model.id);
        return begunCall;
      },
    });
  };
}

/**
 * Opens a turn: waits for its first event without relaying it. The relay has earlier turns, and
 * must not receive events of one that failed before it began. Throws an {@linkcode UpstreamCut} if
 * there is no event, or if the first is broken.
 */
export async function openHosted<Relay extends HostedRelay>(
  answer: UpstreamStream,
  relay: Relay,
): Promise<OpenedStream<Relay>> {
  const { events, beginning } = await readBeginning(answer, (texts) => {
    const [first] = texts;
    if (first === undefined) return undefined;
    readChunk(first);
    return texts;
  });
  return { events: new EventBatcher(startingWith(beginning, events)), relay, first: "" };
}

/** Returns an iterator of the events that were read, followed by the rest. */
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

/** Returns the failure of an upstream that did not stream although it was asked to. */
export function notStreamed(): UpstreamCut {
  return new UpstreamCut("malformed", "The upstream did not stream");
}
