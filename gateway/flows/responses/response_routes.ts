/**
 * The two roads of a Responses request: upstreams that speak Responses themselves are sent it as it
 * is, all others are asked for a chat completion.
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
  type MessagePlace,
  placesAmong,
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
import type { Asked } from "../call/attempt.ts";
import type { GatewayContext } from "../context.ts";
import {
  canSearchWeb,
  leftOutOf,
  liveOnly,
  needsTools,
  noWebSearch,
  requireStores,
  takesChat,
} from "../hosted/hosted_setup.ts";
import { asksForHosted, type HostedTools } from "../hosted/hosted_tools.ts";
import { withSearchLimit } from "../hosted/native_searches.ts";
import type { FileUrls } from "../plan/file_urls.ts";
import type { BodyHold } from "../admit/held_bodies.ts";
import { historyOf, type ResponseHistory } from "./history.ts";

type Key = Pick<KeyRecord, "id" | "walletId">;

/** How a model is asked for a response. */
export type ResponseRoute = "native" | "chat";

/** A request that has been read, whichever model it goes to. */
export class AskedResponse {
  /** The request as it came. */
  readonly body: JsonBody;
  readonly features: RequestFeatures;
  /** The request as Chat Completions has it. */
  readonly chat: JsonBody;
  readonly hosted: HostedTools;
  /** What is sent for `body`: the same, but for items that were left out or filled in. */
  readonly #sent: JsonBody;
  readonly #history: ResponseHistory;
  readonly #losses: readonly Loss[];
  readonly #nativeTexts: readonly string[];
  readonly #places: readonly MessagePlace[];
  readonly #canSearchWeb: boolean;
  /** What its hosted tools ask for, and the gateway's own cannot do. */
  readonly #hostedLeftOut: readonly string[];
  /** Its own items, each in full; `undefined` in the place of one that was left out. */
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
      readonly places: readonly MessagePlace[];
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
    this.#places = read.places;
    this.features = read.features;
  }

  /**
   * Reads a validated request and what it leans on. Throws a {@linkcode ServiceFault} where it leans
   * on what is not kept, or asks for what no upstream may be asked.
   */
  static async read(
    gateway: GatewayContext,
    { key, hold }: { readonly key: Key; readonly hold?: BodyHold | undefined },
    { body, hosted }: { readonly body: JsonBody; readonly hosted: HostedTools },
  ): Promise<AskedResponse> {
    requireStores(gateway, key.walletId, hosted);
    const kept = await historyOf(gateway.responses, key.walletId, { body, admit: hold?.take });
    const remembered = gateway.found.ofItems(key.id, requestItems(body));
    const history = { ...kept, found: new Map([...remembered, ...kept.found]) };
    const measured = await runInSteps(responsesFeatureSteps(body, history));
    const { losses, features } = measured;
    const refused = strangeName(body, history) ??
      losses.find(({ action }) => action === "refuse");
    if (refused !== undefined) throw cannotCarry(refused);
    return new AskedResponse(body, {
      ...measured,
      sent: body,
      history,
      chat: gateway.signatures.restore(key.id, measured.chat),
      features: asksForHosted(hosted) ? needsTools(features) : features,
      hosted,
      canSearchWeb: canSearchWeb(gateway),
      hostedLeftOut: leftOutOf(gateway, hosted),
    });
  }

  /** What the body says. */
  get request(): ResponsesRequest {
    return this.body.value as unknown as ResponsesRequest;
  }

  /**
   * The request's own items to be kept, each in full where it was only named. What is kept by its id
   * alone counts as proven: an id that is not is left out.
   */
  keptItems(): readonly JsonBody[] {
    const { owned } = this.#history;
    return this.#ownItems().filter((item) => !isForgottenReasoning(item, owned));
  }

  /** All that a model reads, oldest first: what the request continues, and its own items. */
  get items(): readonly JsonBody[] {
    return [...this.#history.earlierItems, ...this.#ownPlaces.filter((item) => item !== undefined)];
  }

  /** All text that a model reads. */
  inputText(): string {
    return [requestText(this.chat.value), ...this.#nativeTexts].join("\n");
  }

  /** The same request without some of its items; it is kept as it came. */
  without(gateway: GatewayContext, key: Key, items: ReadonlySet<JsonBody>): AskedResponse {
    const earlier = this.#history.earlierItems.filter((item) => !items.has(item));
    const own = this.#ownPlaces.map((item) => item && items.has(item) ? undefined : item);
    return this.#with(gateway, key.id, { earlier, own });
  }

  /** Whether files must be fetched before any of these can be asked. */
  needsFiles(candidates: readonly Candidate[]): boolean {
    const losses = this.#losses.filter(({ action }) => action === "native");
    return losses.length > 0 && losses.every(({ path }) => path.endsWith(".file_url")) &&
      !candidates.some((candidate) => this.roadTo(candidate) !== undefined);
  }

  /** The same request with the files in it that it points to; it is kept as it came. */
  async withFiles(gateway: GatewayContext, key: Key, files: FileUrls): Promise<AskedResponse> {
    const earlier: JsonBody[] = [];
    for (const item of this.#history.earlierItems) {
      earlier.push(await files.fill(item, "previous_response_id"));
    }
    const own: (JsonBody | undefined)[] = [];
    for (const [at, item] of this.#ownPlaces.entries()) {
      own.push(item && await files.fill(item, `input.${at}`));
    }
    return this.#with(gateway, key.id, { earlier, own });
  }

  /** The road to a model; `undefined` where none leads there. */
  roadTo(candidate: Candidate): ResponseRoute | undefined {
    const { webSearch, fileSearch } = this.hosted;
    // Vector stores are the gateway's own, whoever answers.
    if (candidate.traits.speaksResponses === true && fileSearch === undefined) return "native";
    if (this.#losses.some(({ action }) => action === "native")) return undefined;
    if (webSearch !== undefined && !(webSearch.isLive && this.#canSearchWeb)) return undefined;
    return takesChat(candidate) ? "chat" : undefined;
  }

  /** Whether a model can be asked for a chat completion in place of a response. */
  takesChatRoad(candidate: Candidate): boolean {
    return !this.#losses.some(({ action }) => action === "native") && takesChat(candidate);
  }

  /** Those who can be asked. Throws a {@linkcode ServiceFault} where nobody can. */
  passable(candidates: readonly Candidate[]): readonly Candidate[] {
    const passable = candidates.filter((candidate) => this.roadTo(candidate) !== undefined);
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
   * From now on everything is said in full, also to the upstream that should know it. False where
   * it has been before.
   */
  writeOut(): boolean {
    const wasLeaning = this.#history.upstreamId !== undefined && !this.#writtenOut;
    this.#writtenOut = true;
    return wasLeaning;
  }

  /** What a model is asked with. */
  ask(candidate: Candidate): Asked {
    if (this.roadTo(candidate) !== "native") return { endpoint: "chat", body: this.chat };
    return { endpoint: "responses", body: this.#nativeBody(candidate.upstream.id) };
  }

  /** What a model is not told of the request, a line each. */
  leftOut(candidate: Candidate): readonly string[] {
    if (this.roadTo(candidate) === "native") {
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

  /** What a model that is asked for a chat completion is not told of the request, a line each. */
  leftOutOfChat(): readonly string[] {
    const limitsCalls = asksForHosted(this.hosted);
    const losses = this.#losses.filter(({ path }) => !(limitsCalls && path === "max_tool_calls"));
    return [...losses.map(lossText), ...this.#hostedLeftOut];
  }

  /** What the caller calls a field that a model was asked with. */
  callerPath(path: string, candidate: Candidate): string {
    return this.roadTo(candidate) === "native" ? path : this.pathInChat(path);
  }

  /** What the caller calls a field of the chat completion that is asked for. */
  pathInChat(path: string): string {
    return callerPath(path, this.#places);
  }

  /** Lines about the chat completion that is asked for, in the caller's names. */
  linesOfChat(lines: readonly string[]): readonly string[] {
    return lines.map((line) => callerLine(line, this.#places));
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

  /** Whether an upstream that speaks Responses knows by itself all that the request leans on. */
  #isSentAsIs(upstreamId: string): boolean {
    const { references, upstreamId: keeper } = this.#history;
    const leans = typeof this.request.previous_response_id === "string" || references.size > 0;
    const isKept = !leans || (keeper === upstreamId && !this.#writtenOut);
    return isKept && !hasForeignItems(this.#sent, this.#history.owned);
  }

  /** The same request of other items; what it was told not to carry follows from them anew. */
  #with(
    gateway: GatewayContext,
    keyId: string,
    { earlier, own }: {
      readonly earlier: readonly JsonBody[];
      readonly own: readonly (JsonBody | undefined)[];
    },
  ): AskedResponse {
    const items = own.filter((item) => item !== undefined);
    const sent = {
      text: editMembers(this.body.text, { input: `[${items.map(({ text }) => text).join(",")}]` }),
      value: { ...this.body.value, input: items.map(({ value }) => value) },
    };
    // What is left out here would be there again at the upstream that keeps it.
    const history = { ...this.#history, earlierItems: earlier, upstreamId: undefined };
    const measured = responsesFeatures(sent, history);
    const { chat, losses, places, features } = measured;
    const isText = typeof this.request.input === "string";
    const kept = own.flatMap((item, at) => item ? [isText ? "input" : `input.${at}`] : []);
    const leftOut = this.items.length - earlier.length - items.length;
    return new AskedResponse(this.body, {
      ...measured,
      sent,
      own,
      history,
      chat: gateway.signatures.restore(keyId, chat),
      // Of a shortened input the places are no longer the caller's.
      losses: leftOut === 0 ? losses : [
        ...this.#losses.filter(({ path }) => path !== "input"),
        { path: "input", reason: `the ${leftOut} oldest items were left out`, action: "report" },
      ],
      places: placesAmong(places, kept),
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

/** The first item that names what is not kept here for its owner. */
function strangeName(body: JsonBody, { owned, references }: ResponseHistory): Loss | undefined {
  for (const [at, item] of requestItems(body).entries()) {
    if (isForgottenReasoning(item, owned)) continue;
    // A reference is also good for what a request said: it is written out.
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
