/**
 * The two routes of a Responses request: upstreams that speak Responses receive it unchanged, all
 * others receive a request for a chat completion.
 *
 * @module
 */

import type { ResponsesRequest } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import type { RequestFeatures } from "../../domain/requests/features.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { runInSteps } from "../../system/yield_to_event_loop.ts";
import { requestText } from "../../wire/chat/text.ts";
import { editMembers } from "../../wire/json/text.ts";
import {
  callerLine,
  callerPath,
  type MessageSource,
  sourcesAmong,
} from "../../wire/responses/caller_paths.ts";
import { responsesFeatures, responsesFeatureSteps } from "../../wire/responses/chat_request.ts";
import {
  isForgottenReasoning,
  itemType,
  namedIds,
  referencedItem,
  requestItems,
} from "../../wire/responses/items.ts";
import { type Loss, lossText } from "../../wire/responses/loss.ts";
import {
  foreignLosses,
  hasForeignItems,
  selfContained,
} from "../../wire/responses/native_request.ts";
import type { CandidateCall } from "../call/attempt.ts";
import {
  canSearchWeb,
  leftOutOf,
  liveOnly,
  needsTools,
  noWebSearch,
  requireStores,
  takesChat,
  type WebSearchDeps,
} from "../hosted/hosted_setup.ts";
import { asksForHosted, type HostedTools } from "../hosted/hosted_tools.ts";
import { withSearchLimit } from "../hosted/native_searches.ts";
import type { SearchMemory } from "../hosted/search_memory.ts";
import type { SignatureMemory } from "../plan/signature_memory.ts";
import type { Recall } from "../recall/recall.ts";
import type { ResponseStore } from "../../ports/response_store.ts";
import type { VectorStores } from "../../ports/vector_stores.ts";
import type { FileUrls } from "./file_urls.ts";
import type { BodyHold } from "../../ports/body_hold.ts";
import { historyOf, type ResponseHistory } from "./history.ts";

type Key = Pick<KeyRecord, "id" | "walletId">;

/** Parts of the service that reading a Responses request uses. */
export type ReadResponseDeps = WebSearchDeps & {
  /** Reads what other instances remember. @default {one instance} */
  readonly recall?: Pick<Recall, "chat" | "searches"> | undefined;
  readonly responses: Pick<ResponseStore, "get" | "withItem">;
  readonly searchMemory: Pick<SearchMemory, "ofItems">;
  readonly signatures: Pick<SignatureMemory, "restore">;
  readonly vectorStores: Pick<VectorStores, "find">;
};

/** The route of a Responses request to a model. */
export type ResponseRoute = "native" | "chat";

/** A Responses request that has been read, for either route. */
export class ResponseRequest {
  /** The request body as the caller sent it. */
  readonly body: JsonBody;
  readonly features: RequestFeatures;
  /** The request as a chat completion request. */
  readonly chat: JsonBody;
  readonly hosted: HostedTools;
  /** The body to send: the same, except for items that were left out or filled in. */
  readonly #sent: JsonBody;
  readonly #history: ResponseHistory;
  readonly #losses: readonly Loss[];
  readonly #nativeTexts: readonly string[];
  readonly #sources: readonly MessageSource[];
  readonly #canSearchWeb: boolean;
  /** Lines about parts of its hosted tools that the gateway cannot do. */
  readonly #hostedLeftOut: readonly string[];
  /** The items of the request itself, each in full; `undefined` for one that was left out. */
  #own: readonly (JsonBody | undefined)[] | undefined;
  #expanded: JsonBody | undefined;
  #writtenOut = false;

  private constructor(
    body: JsonBody,
    read: {
      readonly sent: JsonBody;
      readonly own?: readonly (JsonBody | undefined)[];
      readonly history: ResponseHistory;
      readonly chat: JsonBody;
      readonly losses: readonly Loss[];
      readonly nativeTexts: readonly string[];
      readonly sources: readonly MessageSource[];
      readonly features: RequestFeatures;
      readonly hosted: HostedTools;
      readonly canSearchWeb: boolean;
      readonly hostedLeftOut: readonly string[];
    },
  ) {
    this.body = body;
    this.#sent = read.sent;
    this.#own = read.own;
    this.#history = read.history;
    this.chat = read.chat;
    this.hosted = read.hosted;
    this.#canSearchWeb = read.canSearchWeb;
    this.#hostedLeftOut = read.hostedLeftOut;
    this.#losses = read.losses;
    this.#nativeTexts = read.nativeTexts;
    this.#sources = read.sources;
    this.features = read.features;
  }

  /**
   * Reads a validated request and its earlier content. Throws a {@linkcode ServiceFault} if that is
   * not stored, or if no upstream can carry the request.
   */
  static async read(
    deps: ReadResponseDeps,
    { key, hold }: { readonly key: Key; readonly hold?: BodyHold | undefined },
    { body, hosted }: { readonly body: JsonBody; readonly hosted: HostedTools },
  ): Promise<ResponseRequest> {
    await requireStores(deps, key.walletId, hosted);
    const stored = await historyOf(deps.responses, key.walletId, {
      body,
      admit: hold && ((bytes) => hold.take(bytes)),
    });
    const recalling = deps.recall?.searches(key.id, requestItems(body));
    if (recalling !== undefined) await recalling;
    const remembered = deps.searchMemory.ofItems(key.id, requestItems(body));
    const history = { ...stored, findings: new Map([...remembered, ...stored.findings]) };
    const measured = await runInSteps(responsesFeatureSteps(body, history));
    const { losses, features } = measured;
    const refused = strangeName(body, history) ?? losses.find(({ action }) => action === "refuse");
    if (refused !== undefined) throw cannotCarry(refused);
    const recallingCalls = deps.recall?.chat(key.id, measured.chat);
    if (recallingCalls !== undefined) await recallingCalls;
    return new ResponseRequest(body, {
      ...measured,
      sent: body,
      history,
      chat: deps.signatures.restore(key.id, measured.chat),
      features: asksForHosted(hosted) ? needsTools(features) : features,
      hosted,
      canSearchWeb: canSearchWeb(deps),
      hostedLeftOut: leftOutOf(deps, hosted),
    });
  }

  /** The parsed body. */
  get params(): ResponsesRequest {
    return this.body.value as unknown as ResponsesRequest;
  }

  /**
   * Returns the items of the request itself to be stored, each in full even if it was only named.
   * An item stored by id alone counts as proven, so an unproven id is left out.
   */
  storedItems(): readonly JsonBody[] {
    const { owned } = this.#history;
    return this.#ownItems().filter((item) => !isForgottenReasoning(item, owned));
  }

  /** All items that a model reads, oldest first: earlier ones, and those of the request itself. */
  get items(): readonly JsonBody[] {
    return [...this.#history.earlierItems, ...this.#ownPlaces.filter((item) => item !== undefined)];
  }

  /** Returns all text that a model reads. */
  inputText(): string {
    return [requestText(this.chat.value), ...this.#nativeTexts].join("\n");
  }

  /** Returns the same request without some of its items; it is stored as the caller sent it. */
  without(
    deps: Pick<ReadResponseDeps, "signatures">,
    key: Key,
    items: ReadonlySet<JsonBody>,
  ): ResponseRequest {
    const earlier = this.#history.earlierItems.filter((item) => !items.has(item));
    const own = this.#ownPlaces.map((item) => item && items.has(item) ? undefined : item);
    return this.#with(deps, key.id, { earlier, own });
  }

  /** True when files must be fetched before any of the candidates can serve the request. */
  needsFiles(candidates: readonly Candidate[]): boolean {
    const losses = this.#losses.filter(({ action }) => action === "native");
    return losses.length > 0 && losses.every(({ path }) => path.endsWith(".file_url")) &&
      !candidates.some((candidate) => this.routeTo(candidate) !== undefined);
  }

  /** Returns the same request with the named files in it; it is stored as the caller sent it. */
  async withFiles(
    deps: Pick<ReadResponseDeps, "signatures">,
    key: Key,
    files: FileUrls,
  ): Promise<ResponseRequest> {
    const earlier: JsonBody[] = [];
    for (const item of this.#history.earlierItems) {
      earlier.push(await files.fill(item, "previous_response_id"));
    }
    const own: (JsonBody | undefined)[] = [];
    for (const [at, item] of this.#ownPlaces.entries()) {
      own.push(item && await files.fill(item, `input.${at}`));
    }
    return this.#with(deps, key.id, { earlier, own });
  }

  /** Returns the route to a model; `undefined` if there is none. */
  routeTo(candidate: Candidate): ResponseRoute | undefined {
    const { webSearch, fileSearch } = this.hosted;
    // Vector stores belong to the gateway, whichever model answers.
    if (candidate.traits.speaksResponses === true && fileSearch === undefined) return "native";
    if (this.#losses.some(({ action }) => action === "native")) return undefined;
    if (webSearch !== undefined && !(webSearch.isLive && this.#canSearchWeb)) return undefined;
    return takesChat(candidate) ? "chat" : undefined;
  }

  /** True when a model can be sent a chat completion request instead. */
  takesChatRoute(candidate: Candidate): boolean {
    return !this.#losses.some(({ action }) => action === "native") && takesChat(candidate);
  }

  /** Returns the candidates with a route. Throws a {@linkcode ServiceFault} if there is none. */
  passable(candidates: readonly Candidate[]): readonly Candidate[] {
    const passable = candidates.filter((candidate) => this.routeTo(candidate) !== undefined);
    if (passable.length > 0) return passable;
    const loss = this.#losses.find(({ action }) => action === "native");
    if (loss !== undefined) throw cannotCarry(loss);
    const { webSearch } = this.hosted;
    if (webSearch?.isLive === false) throw liveOnly(webSearch);
    throw webSearch !== undefined && !this.#canSearchWeb
      ? noWebSearch()
      : new ServiceFault("no_model_available");
  }

  /**
   * Sends the whole conversation from now on, even to the upstream that should have stored it.
   * Returns false if the request changes nothing by that.
   */
  writeOut(): boolean {
    const wasStored = this.#history.upstreamId !== undefined && !this.#writtenOut;
    this.#writtenOut = true;
    return wasStored;
  }

  /** Returns the call for a model. */
  callFor(candidate: Candidate): CandidateCall {
    if (this.routeTo(candidate) !== "native") return { endpoint: "chat", body: this.chat };
    return { endpoint: "responses", body: this.#nativeBody(candidate.upstream.id) };
  }

  /** Returns lines about request fields that a model does not receive. */
  leftOut(candidate: Candidate): readonly string[] {
    if (this.routeTo(candidate) === "native") {
      const shortened = this.#losses.filter(({ path, action }) =>
        path === "input" && action === "report"
      );
      const foreign = this.#isSentAsIs(candidate.upstream.id)
        ? []
        : foreignLosses(this.#sent, this.#history);
      return [...shortened, ...foreign].map(lossText);
    }
    return this.leftOutOfChat();
  }

  /** Returns lines about request fields that a chat completion request does not carry. */
  leftOutOfChat(): readonly string[] {
    const limitsCalls = asksForHosted(this.hosted);
    const losses = this.#losses.filter(({ path }) => !(limitsCalls && path === "max_tool_calls"));
    return [...losses.map(lossText), ...this.#hostedLeftOut];
  }

  /** Translates the path of a field in the call to the request of the caller. */
  callerPath(path: string, candidate: Candidate): string {
    return this.routeTo(candidate) === "native" ? path : this.pathInChat(path);
  }

  /** Translates the path of a field in the chat completion request to the request of the caller. */
  pathInChat(path: string): string {
    return callerPath(path, this.#sources);
  }

  /**
   * Translates the paths in lines about the chat completion request to the request of the caller.
   */
  linesOfChat(lines: readonly string[]): readonly string[] {
    return lines.map((line) => callerLine(line, this.#sources));
  }

  get #ownPlaces(): readonly (JsonBody | undefined)[] {
    return this.#own ??= this.#ownItems();
  }

  #ownItems(): readonly JsonBody[] {
    const { references } = this.#history;
    return requestItems(this.body).map((item) => referencedItem(item, references) ?? item);
  }

  #nativeBody(upstreamId: string): JsonBody {
    return this.hosted.webSearch === undefined
      ? this.#nativeText(upstreamId)
      : withSearchLimit(this.#nativeText(upstreamId));
  }

  #nativeText(upstreamId: string): JsonBody {
    if (this.#isSentAsIs(upstreamId)) return this.#sent;
    return this.#expanded ??= selfContained(this.#sent, this.#history);
  }

  /** True when an upstream that speaks Responses knows all earlier content of the request. */
  #isSentAsIs(upstreamId: string): boolean {
    const { references, upstreamId: storingId } = this.#history;
    const isContinuation = typeof this.params.previous_response_id === "string" ||
      references.size > 0;
    const isKnown = !isContinuation || (storingId === upstreamId && !this.#writtenOut);
    return isKnown && !hasForeignItems(this.#sent, this.#history.owned);
  }

  /** Returns the same request with other items; the losses follow from them again. */
  #with(
    deps: Pick<ReadResponseDeps, "signatures">,
    keyId: string,
    { earlier, own }: {
      readonly earlier: readonly JsonBody[];
      readonly own: readonly (JsonBody | undefined)[];
    },
  ): ResponseRequest {
    const items = own.filter((item) => item !== undefined);
    const sent = {
      text: editMembers(this.body.text, { input: `[${items.map(({ text }) => text).join(",")}]` }),
      value: { ...this.body.value, input: items.map(({ value }) => value) },
    };
    // The upstream that stores the conversation would add the dropped items again.
    const history = { ...this.#history, earlierItems: earlier, upstreamId: undefined };
    const measured = responsesFeatures(sent, history);
    const { chat, losses, sources, features } = measured;
    const isText = typeof this.params.input === "string";
    const paths = own.flatMap((item, at) => item ? [isText ? "input" : `input.${at}`] : []);
    const leftOut = this.items.length - earlier.length - items.length;
    return new ResponseRequest(this.body, {
      ...measured,
      sent,
      own,
      history,
      chat: deps.signatures.restore(keyId, chat),
      // The positions in a shortened input differ from those in the caller's request.
      losses: leftOut === 0 ? losses : [
        ...this.#losses.filter(({ path }) => path !== "input"),
        { path: "input", reason: `the ${leftOut} oldest items were left out`, action: "report" },
      ],
      sources: sourcesAmong(sources, paths),
      features: {
        ...(asksForHosted(this.hosted) ? needsTools(features) : features),
        conversation: this.features.conversation,
      },
      hosted: this.hosted,
      canSearchWeb: this.#canSearchWeb,
      hostedLeftOut: this.#hostedLeftOut,
    });
  }
}

/** Returns the loss of the first item that names content which is not stored here for its owner. */
function strangeName(body: JsonBody, { owned, references }: ResponseHistory): Loss | undefined {
  for (const [at, item] of requestItems(body).entries()) {
    if (isForgottenReasoning(item, owned)) continue;
    // A reference may also name an item of an earlier request: it is written out.
    const known = itemType(item) === "item_reference" ? references : owned;
    const strange = namedIds(item).find(({ id }) => !known.has(id));
    if (strange === undefined) continue;
    const { id, member } = strange;
    return {
      path: `input.${at}.${member}`,
      reason: `no item "${id}" is kept here`,
      action: "refuse",
    };
  }
  return undefined;
}

function cannotCarry(loss: Loss): ServiceFault {
  const { path, reason } = loss;
  return new ServiceFault("invalid_request", {
    message: `Cannot carry "${path}": ${reason}`,
    param: path,
  });
}
