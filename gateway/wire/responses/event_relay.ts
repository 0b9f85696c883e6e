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
import { UpstreamCut } from "../../ports/upstream.ts";
import type { AnswerEnd, FailedEnd, SignedToolCall } from "../answer_relay.ts";
import { contentOf, reasoningOf } from "../chat_text.ts";
import { type ChunkContent, type Fields, firstChoiceText, readChunk } from "../chunk.ts";
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
import type { ShownFindings } from "../search_item.ts";
import { patternText, type TextChunkPattern, textChunkPattern } from "../text_chunk.ts";
import { noteOpaque, OPAQUE_MEMBERS, ToolCallIndexes } from "../tool_calls.ts";
import { readChatUsage, UsageSum } from "../usage.ts";
import { annotationsOf } from "./answer.ts";
import { endingOf, type PartKind, reasoningKind } from "./output_text.ts";
import { errorEvent, responseErrorOf, type ResponseRelay } from "./relay.ts";
import { ResourceWriter, type ResponseContext } from "./resource.ts";
import { CallItem, type Emit, SearchCallItem, type StreamItem, TextItem } from "./stream_items.ts";
import { responseUsageOf } from "./usage.ts";

/** Longest text of an answer, in UTF-16 code units: a million tokens. */
const TEXT_MAX_CHARS = 4 * 1024 * 1024;

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
  #open: TextItem | undefined;
  #sequence = 0;
  /** What the turns that have ended reported. */
  #reported: UsageSum | undefined;
  // Of the turn at hand:
  #turnEnded = false;
  #turnStart = { items: 0, sequence: 0 };
  #calls: CallItem[] = [];
  #callIndexes = new ToolCallIndexes();
  #opaque = new Map<string, string>();
  #finishReason: string | undefined;
  #reportedUsage: unknown;
  #pattern: TextChunkPattern | undefined;
  #chars = 0;
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
      { id: callId, name, arguments: input, opaque }
    ));
  }

  get delivered(): readonly string[] {
    const unbegun = this.#calls.filter((call) => !call.begun);
    return [...this.#items.slice(this.#turnStart.items), ...unbegun].flatMap((item) =>
      item.pieces()
    )
      .filter((piece) => piece !== "");
  }

  accept(text: string): string {
    if (this.#turnEnded) this.#beginTurn();
    const written = this.#pattern && patternText(text, this.#pattern);
    if (written !== undefined) return this.#write("message", "output_text", written);
    const chunk = readChunk(text);
    if (this.#patternsLeft > 0) this.#learn(text, chunk);
    this.#noteUsage(chunk.usage);
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
      opaque: this.#opaque,
      calls: this.toolCalls,
      finishReason: this.#finishReason,
    }, events);
  }

  dropTurn(): void {
    if (this.#turnEnded) return;
    this.#items.length = this.#turnStart.items;
    this.#sequence = this.#turnStart.sequence;
    this.#open = undefined;
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
    this.#opaque = new Map();
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
      events += this.#openText("message");
      events += this.#open?.cite(this.#emit, annotation) ?? "";
    }
    const refusal = delta["refusal"];
    if (typeof refusal === "string") events += this.#write("message", "refusal", refusal);
    const isSigned = OPAQUE_MEMBERS.some((name) => text.includes(name));
    const deltaText = isSigned ? deltaTextOf(text) : undefined;
    if (deltaText !== undefined) {
      noteOpaque(this.#opaque, deltaText);
      if (this.#open?.type === "message") noteOpaque(this.#open.opaque, deltaText);
    }
    const callTexts = deltaText === undefined
      ? []
      : elementTexts(memberText(deltaText, "tool_calls"));
    for (const [at, call] of toolCalls.entries()) events += this.#followCall(call, callTexts[at]);
    return events;
  }

  #followCall(delta: Partial<ToolCallDelta>, text: string | undefined): string {
    const index = this.#callIndexes.of(delta);
    let events = "";
    let call = this.#calls[index];
    if (call === undefined) {
      events += this.#beginDecided();
      this.#calls.push(call = new CallItem());
    }
    if (text !== undefined) noteOpaque(call.opaque, text);
    const called: Fields = { ...delta.function };
    const piece = called["arguments"];
    if (!call.begun) {
      if (typeof delta.id === "string" && delta.id !== "") call.callId = delta.id;
      if (typeof called["name"] === "string") call.name += called["name"];
      const hasInput = typeof piece === "string" && piece !== "";
      if (this.#hosted.mayShow(call.name, hasInput)) events += this.#beginCall(call);
    }
    if (typeof piece !== "string") return events;
    this.#count(piece);
    return events + call.write(this.#emit, piece);
  }

  /** All text is said again at the end, so its length is bounded as no model's output is. */
  #count(piece: string): void {
    this.#chars += piece.length;
    if (this.#chars > TEXT_MAX_CHARS) {
      throw new UpstreamCut("malformed", `The answer exceeds ${TEXT_MAX_CHARS} characters`);
    }
  }

  /** Once another call has begun, the names of those before it are whole. */
  #beginDecided(): string {
    return this.#calls.filter((call) => !call.begun && this.#hosted.mayShow(call.name, true))
      .map((call) => this.#beginCall(call)).join("");
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
    this.#count(piece);
    const events = this.#openText(type);
    return events + (this.#open?.write(this.#emit, kind, piece) ?? "");
  }

  #openText(type: TextItem["type"]): string {
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
    yield* open.done(this.#emit, status);
  }

  /** Only what the response was cut in is incomplete: its last item. */
  #statusOf(at: number, ending: "completed" | "incomplete"): ResponseItemStatus {
    return at === this.#items.length - 1 ? ending : "completed";
  }
}

/** The text of the first choice's delta. */
function deltaTextOf(chunk: string): string | undefined {
  const choice = firstChoiceText(chunk);
  const delta = choice === undefined ? undefined : memberText(choice, "delta");
  return delta?.startsWith("{") === true ? delta : undefined;
}
