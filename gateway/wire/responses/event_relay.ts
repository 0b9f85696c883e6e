/**
 * Streamed chat answers as the events of a response: one, or the turns of several with searches
 * between them.
 *
 * Items come in the order in which they begin. Reasoning and messages are closed before anything else
 * begins; tool calls stay open to the end, since the pieces of parallel calls may alternate.
 *
 * @module
 */

import type {
  ChatCompletionChunk,
  ErrorEnvelope,
  ResponseItemStatus,
  ResponseUsage,
  ToolCallDelta,
} from "@svc/sdk/protocol";
import { invariant } from "../../domain/invariant.ts";
import type { Usage } from "../../domain/pricing.ts";
import type { AnswerEnd, FailedEnd, SignedToolCall } from "../answer_relay.ts";
import { contentOf, reasoningOf } from "../chat_text.ts";
import { type ChunkContent, type Fields, firstDeltaText, readChunk } from "../chunk.ts";
import type {
  EndedTurn,
  FindCitations,
  HostedCall,
  HostedOptions,
  HostedOutcome,
  HostedRelay,
} from "../hosted_relay.ts";
import { endedTurn, HostedCalls } from "../hosted_turn.ts";
import { elementTexts, memberText } from "../json_text.ts";
import { ITEM_CHARS, KeptChars } from "../kept_chars.ts";
import { OpaqueMembers } from "../opaque_members.ts";
import type { ShownFindings } from "../search_item.ts";
import { patternText, type TextChunkPattern, textChunkPattern } from "../text_chunk.ts";
import { ToolCallIndexes } from "../tool_call_indexes.ts";
import { OPAQUE_MEMBERS, opaqueTexts } from "../tool_calls.ts";
import { UpstreamWarnings } from "../upstream_warnings.ts";
import { readChatUsage, UsageSum } from "../usage.ts";
import { annotationsOf } from "./answer.ts";
import { endingOf, type PartKind, reasoningKind } from "./output_text.ts";
import { errorEvent, responseErrorOf, type ResponseRelay } from "./relay.ts";
import { ResourceWriter, type ResponseContext } from "./resource.ts";
import { CallItem, type Emit, SearchCallItem, type StreamItem, TextItem } from "./stream_items.ts";
import { responseUsageOf } from "./usage.ts";

/** Chunks that are looked at for a pattern: streams in which all differ have none. */
const PATTERNS_MAX = 8;

/** Follows streamed chat answers and tells them as one response. */
export class ResponseEventRelay implements ResponseRelay, HostedRelay {
  usage: Usage | undefined;
  resource: string | undefined;
  complete: string | undefined;
  readonly #context: ResponseContext;
  readonly #writer: ResourceWriter;
  readonly #reasoningKind: PartKind;
  readonly #hosted: HostedCalls;
  readonly #cite: FindCitations | undefined;
  readonly #shown: ShownFindings;
  /** By output index. */
  readonly #items: StreamItem[] = [];
  readonly #kept = new KeptChars();
  readonly #warnings = new UpstreamWarnings();
  #open: TextItem | undefined;
  /** What its open part is. */
  #openKind: PartKind | undefined;
  #sequence = 0;
  /** What the turns that have ended reported. */
  #reported: UsageSum | undefined;
  // Of the turn at hand:
  #turnEnded = false;
  #turnStart = { items: 0, sequence: 0 };
  #calls: CallItem[] = [];
  #callIndexes = new ToolCallIndexes();
  #callIds = new Set<string>();
  #opaque = new OpaqueMembers();
  #finishReason: string | undefined;
  #reportedUsage: unknown;
  #pattern: TextChunkPattern | undefined;
  #patternsLeft = PATTERNS_MAX;

  constructor(context: ResponseContext, options: HostedOptions = {}) {
    this.#context = context;
    this.#writer = new ResourceWriter(context);
    this.#reasoningKind = reasoningKind(context.request);
    this.#hosted = new HostedCalls(options.hosted);
    this.#cite = options.cite;
    const include = context.request.include ?? [];
    this.#shown = {
      sources: include.includes("web_search_call.action.sources"),
      results: include.includes("file_search_call.results"),
    };
  }

  get finished(): boolean {
    return this.#finishReason !== undefined;
  }

  get toolCalls(): readonly SignedToolCall[] {
    return this.#calls.map(({ callId, name, input, opaque }) => (
      { id: callId, name, arguments: input, opaque: opaque.texts() }
    ));
  }

  get delivered(): readonly string[] {
    const unbegun = this.#calls.filter((call) => !call.begun);
    return [...this.#items.slice(this.#turnStart.items), ...unbegun].flatMap((item) =>
      item.pieces()
    )
      .filter((piece) => piece !== "");
  }

  get notCarried(): readonly string[] {
    return this.#warnings.lines;
  }

  accept(text: string): string {
    if (this.#turnEnded) this.#beginTurn();
    const written = this.#pattern && patternText(text, this.#pattern);
    if (written !== undefined) return this.#write("message", "output_text", written);
    const chunk = readChunk(text);
    if (this.#patternsLeft > 0) this.#learn(text, chunk);
    this.#noteUsage(chunk.usage);
    this.#warnings.add(chunk.value);
    const events = this.#begin() + this.#follow(chunk, text);
    this.#finishReason ??= chunk.finishReason;
    return events;
  }

  /** A clean end is one, with or without a finish reason. */
  upstreamEnded(): void {}

  endTurn(): EndedTurn {
    if (this.#turnEnded) this.#beginTurn();
    const events = [this.#begin(), ...this.#closeTurn()].join("");
    this.#turnEnded = true;
    (this.#reported ??= new UsageSum()).add(this.#reportedUsage);
    const messages = this.#items.slice(this.#turnStart.items)
      .filter((item) => item instanceof TextItem)
      .filter((item) => item.type === "message");
    return endedTurn({
      content: messages.map((item) => item.said("output_text")).join(""),
      refusal: messages.map((item) => item.said("refusal")).join(""),
      opaque: this.#opaque.texts(),
      calls: this.toolCalls,
      finishReason: this.#finishReason,
    }, events);
  }

  dropTurn(): void {
    if (this.#turnEnded) return;
    this.#items.length = this.#turnStart.items;
    this.#sequence = this.#turnStart.sequence;
    this.#open = undefined;
    this.#openKind = undefined;
    this.#warnings.dropTurn();
    this.#beginTurn();
  }

  searching(call: HostedCall): string {
    const item = new SearchCallItem(call, this.#items.length, this.#shown);
    const events = [this.#begin(), ...this.#closeText("completed")].join("");
    this.#items.push(item);
    return events + item.begin(this.#emit);
  }

  searched({ id }: HostedCall, outcome: HostedOutcome): string {
    const item = this.#items.filter((item) => item instanceof SearchCallItem)
      .findLast((item) => item.id === id);
    invariant(item?.ended === false, `Cannot end search "${id}": it is not under way`);
    return item.end(this.#emit, outcome);
  }

  *completed(end: AnswerEnd): Iterable<string> {
    yield this.#begin();
    yield* this.#closeTurn();
    const ending = endingOf(this.#finishReason);
    for (const [at, item] of this.#items.entries()) {
      if (!item.ended) yield* item.done(this.#emit, this.#statusOf(at, ending.status));
    }
    this.resource = this.#writer.text({
      ...ending,
      completed_at: ending.status === "completed" ? end.completedSeconds : null,
      usage: this.#usageOf(end.usage),
      metadata: end.metadata,
      output: this.#items.map((item) => item.text(ending.status)),
    });
    this.complete = this.resource;
    yield this.#emit(`response.${ending.status}`, `"response":${this.resource}`);
  }

  *failed({ error }: ErrorEnvelope, end: FailedEnd): Iterable<string> {
    yield this.#begin();
    this.resource = this.#writer.text({
      status: "failed",
      error: responseErrorOf(error),
      usage: end.usage === undefined ? null : this.#usageOf(end.usage),
      metadata: end.metadata,
      output: this.#items.map((item) => item.text("incomplete")),
    });
    yield this.#emit("response.failed", `"response":${this.resource}`);
    yield errorEvent(error, this.#sequence++);
  }

  readonly #emit: Emit = (type, fields) =>
    `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#sequence++},${fields}}\n\n`;

  #begin(): string {
    if (this.#sequence > 0) return "";
    const response = this.#writer.text({
      status: "in_progress",
      usage: null,
      metadata: this.#context.opening,
      output: [],
    });
    return this.#emit("response.created", `"response":${response}`) +
      this.#emit("response.in_progress", `"response":${response}`);
  }

  #beginTurn(): void {
    this.#turnEnded = false;
    this.#turnStart = { items: this.#items.length, sequence: this.#sequence };
    this.#calls = [];
    this.#callIndexes = new ToolCallIndexes();
    this.#callIds = new Set();
    this.#opaque = new OpaqueMembers();
    this.#warnings.beginTurn();
    this.#finishReason = undefined;
    this.usage = undefined;
    this.#reportedUsage = undefined;
    this.#pattern = undefined;
    this.#patternsLeft = PATTERNS_MAX;
  }

  /** Ends what the turn left open, but for the caller's calls, and begins those that never began. */
  *#closeTurn(): Iterable<string> {
    for (const call of this.#calls) {
      if (this.#hosted.has(call.name)) call.callId ||= this.#context.newId("call");
      else if (!call.begun) yield this.#beginCall(call);
    }
    yield* this.#closeText(endingOf(this.#finishReason).status);
  }

  /** Of several turns each has reported its own: the counts are the sums. */
  #usageOf(usage: Usage): ResponseUsage {
    if (this.#reported === undefined) return responseUsageOf(usage, this.#reportedUsage);
    if (!this.#turnEnded) this.#reported.add(this.#reportedUsage);
    return responseUsageOf(usage, this.#reported.usageOf(usage));
  }

  #learn(text: string, { value, delta }: ChunkContent): void {
    if (delta === undefined) return;
    this.#patternsLeft -= 1;
    this.#pattern = textChunkPattern(text, value as unknown as ChatCompletionChunk) ??
      this.#pattern;
  }

  #noteUsage(usage: unknown): void {
    const read = readChatUsage(usage);
    if (read === undefined) return;
    this.usage = read;
    this.#reportedUsage = usage;
  }

  #follow({ delta, toolCalls }: ChunkContent, text: string): string {
    if (delta === undefined) return "";
    let events = this.#write("reasoning", this.#reasoningKind, reasoningOf(delta));
    events += this.#write("message", "output_text", contentOf(delta));
    for (const annotation of annotationsOf(delta)) {
      events += this.#openText("message", "output_text");
      const cited = this.#open?.cite(this.#emit, annotation) ?? "";
      this.#kept.take(ITEM_CHARS + cited.length);
      events += cited;
    }
    const refusal = delta["refusal"];
    if (typeof refusal === "string") events += this.#write("message", "refusal", refusal);
    const isSigned = OPAQUE_MEMBERS.some((name) => text.includes(name));
    const deltaText = isSigned ? firstDeltaText(text) : undefined;
    const opaque = deltaText === undefined ? undefined : opaqueTexts(deltaText);
    if (opaque !== undefined) {
      this.#opaque.add(opaque, this.#kept);
      if (this.#open?.type === "message") this.#open.opaque.add(opaque, this.#kept);
    }
    const callTexts = deltaText === undefined
      ? []
      : elementTexts(memberText(deltaText, "tool_calls"));
    if (toolCalls.length === 0) return events;
    for (const [at, place] of this.#callIndexes.of(toolCalls).entries()) {
      const known = this.#calls[place];
      if (known === undefined) events += this.#beginDecided();
      const call = known ?? this.#newCall();
      events += this.#followCall(call, toolCalls[at] ?? {}, callTexts[at]);
    }
    return events;
  }

  /** Two calls of one id could not be answered apart: the second is given another. */
  #nameCall(call: CallItem, id: unknown): void {
    if (typeof id !== "string" || id === "" || this.#callIds.has(id)) return;
    this.#callIds.add(id);
    call.callId = id;
  }

  #newCall(): CallItem {
    this.#kept.take(ITEM_CHARS);
    const call = new CallItem();
    this.#calls.push(call);
    return call;
  }

  #followCall(call: CallItem, delta: Partial<ToolCallDelta>, text: string | undefined): string {
    let events = "";
    const opaque = text === undefined ? undefined : opaqueTexts(text);
    if (opaque !== undefined) call.opaque.add(opaque, this.#kept);
    const called: Fields = { ...delta.function };
    const piece = called["arguments"];
    if (!call.begun) {
      this.#nameCall(call, delta.id);
      if (typeof called["name"] === "string") {
        this.#kept.take(called["name"].length);
        call.name += called["name"];
      }
      const hasInput = typeof piece === "string" && piece !== "";
      if (this.#hosted.mayShow(call.name, hasInput)) events += this.#beginCall(call);
    }
    if (typeof piece !== "string") return events;
    this.#kept.take(piece.length);
    return events + call.write(this.#emit, piece);
  }

  /** Once another call has begun, the name of the one before it is whole. */
  #beginDecided(): string {
    const call = this.#calls.at(-1);
    if (call === undefined || call.begun || !this.#hosted.mayShow(call.name, true)) return "";
    return this.#beginCall(call);
  }

  #beginCall(call: CallItem): string {
    const { newId } = this.#context;
    let events = "";
    for (const event of this.#closeText("completed")) events += event;
    const id = newId("fc");
    const callId = call.callId === "" ? newId("call") : call.callId;
    return events + call.begin(this.#emit, { id, callId }, this.#items.push(call) - 1);
  }

  #write(type: TextItem["type"], kind: PartKind, piece: string): string {
    if (piece === "") return "";
    this.#kept.take(piece.length);
    const events = this.#openText(type, kind);
    return events + (this.#open?.write(this.#emit, kind, piece) ?? "");
  }

  #openText(type: TextItem["type"], kind: PartKind): string {
    if (kind !== this.#openKind) {
      this.#kept.take(ITEM_CHARS);
      this.#openKind = kind;
    }
    if (this.#open?.type === type) return "";
    let events = "";
    for (const event of this.#closeText("completed")) events += event;
    const id = this.#context.newId(type === "message" ? "msg" : "rs");
    this.#open = new TextItem(type, { id, outputIndex: this.#items.length }, this.#cite);
    this.#items.push(this.#open);
    return events + this.#open.added(this.#emit);
  }

  *#closeText(status: ResponseItemStatus): Iterable<string> {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    this.#openKind = undefined;
    yield* open.done(this.#emit, status);
  }

  /** Only what the response was cut in is incomplete: its last item. */
  #statusOf(at: number, ending: "completed" | "incomplete"): ResponseItemStatus {
    return at === this.#items.length - 1 ? ending : "completed";
  }
}
