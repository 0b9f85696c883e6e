/**
 * One streamed chat answer as the events of a response.
 *
 * Items come in the order in which they begin. Reasoning and messages are closed before anything else
 * begins; tool calls stay open to the end, since the pieces of parallel calls may alternate.
 *
 * @module
 */

import type { ChatCompletionChunk, ResponseItemStatus, ToolCallDelta } from "@svc/sdk/protocol";
import type { Usage } from "../../domain/pricing.ts";
import { OPAQUE_MEMBERS } from "../chat_chunk.ts";
import { patternText, type TextChunkPattern, textChunkPattern } from "../text_chunk.ts";
import { readChatUsage } from "../usage.ts";
import { annotationsOf, contentOf, reasoningOf } from "./answer.ts";
import {
  type ChunkContent,
  type Fields,
  mergedOpaque,
  readChunk,
  ToolCallIndexes,
} from "./chunk.ts";
import { elementTexts, memberText, opaqueTexts } from "./items.ts";
import { endingOf, type PartKind, reasoningKind } from "./output_text.ts";
import {
  errorEvent,
  type FailedEnd,
  responseErrorOf,
  type ResponseFailure,
  type ResponseRelay,
} from "./relay.ts";
import { ResourceWriter, type ResponseContext, type ResponseEnd } from "./resource.ts";
import { CallItem, type Emit, type StreamItem, TextItem } from "./stream_items.ts";
import { responseUsageOf } from "./usage.ts";

/** Chunks that are looked at for a pattern: streams in which all differ have none. */
const PATTERNS_MAX = 8;

/** Follows one streamed chat answer and tells it as a response. */
export class ResponseEventRelay implements ResponseRelay {
  usage: Usage | undefined;
  resource: string | undefined;
  readonly #context: ResponseContext;
  readonly #writer: ResourceWriter;
  readonly #reasoningKind: PartKind;
  /** By output index. */
  readonly #items: StreamItem[] = [];
  readonly #calls: CallItem[] = [];
  readonly #callIndexes = new ToolCallIndexes();
  #open: TextItem | undefined;
  #sequence = 0;
  #finishReason: string | undefined;
  #reportedUsage: unknown;
  #pattern: TextChunkPattern | undefined;
  #patternsLeft = PATTERNS_MAX;

  constructor(context: ResponseContext) {
    this.#context = context;
    this.#writer = new ResourceWriter(context);
    this.#reasoningKind = reasoningKind(context.request);
  }

  get finished(): boolean {
    return this.#finishReason !== undefined;
  }

  get delivered(): readonly string[] {
    const unbegun = this.#calls.filter((call) => !call.begun);
    return [...this.#items, ...unbegun].flatMap((item) => item.pieces())
      .filter((piece) => piece !== "");
  }

  accept(text: string): string {
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

  *completed(end: ResponseEnd): Iterable<string> {
    yield this.#begin();
    const ending = endingOf(this.#finishReason);
    for (const call of this.#calls) if (!call.begun) yield this.#beginCall(call);
    yield* this.#closeText(ending.status);
    for (const [at, item] of this.#items.entries()) {
      if (item instanceof CallItem) yield* item.done(this.#emit, this.#statusOf(at, ending.status));
    }
    const last = this.#items.length - 1;
    this.resource = this.#writer.text({
      ...ending,
      completed_at: ending.status === "completed" ? end.completedSeconds : null,
      usage: responseUsageOf(end.usage, this.#reportedUsage),
      metadata: end.metadata,
      output: this.#items.map((item, at) => item.text(at === last ? ending.status : "completed")),
    });
    yield this.#emit(`response.${ending.status}`, `"response":${this.resource}`);
  }

  *failed(failure: ResponseFailure, end: FailedEnd): Iterable<string> {
    yield this.#begin();
    const open: readonly StreamItem[] = [...this.#calls, ...(this.#open ? [this.#open] : [])];
    this.resource = this.#writer.text({
      status: "failed",
      error: responseErrorOf(failure),
      usage: end.usage === undefined ? null : responseUsageOf(end.usage, this.#reportedUsage),
      metadata: end.metadata,
      output: this.#items.map((item) =>
        item.text(open.includes(item) ? "incomplete" : "completed")
      ),
    });
    yield this.#emit("response.failed", `"response":${this.resource}`);
    yield errorEvent(failure, this.#sequence++);
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
    if (deltaText !== undefined && this.#open?.type === "message") {
      note(this.#open.opaque, deltaText);
    }
    const callTexts = deltaText === undefined
      ? []
      : elementTexts(memberText(deltaText, "tool_calls"));
    for (const [at, call] of toolCalls.entries()) events += this.#followCall(call, callTexts[at]);
    return events;
  }

  #followCall(delta: Partial<ToolCallDelta>, text: string | undefined): string {
    const index = this.#callIndexes.of(delta);
    let call = this.#calls[index];
    if (call === undefined) this.#calls.push(call = new CallItem());
    if (text !== undefined) note(call.opaque, text);
    const called: Fields = { ...delta.function };
    let events = "";
    if (!call.begun) {
      if (typeof delta.id === "string" && delta.id !== "") call.callId = delta.id;
      if (typeof called["name"] === "string") call.name += called["name"];
      if (call.name !== "") events += this.#beginCall(call);
    }
    const piece = called["arguments"];
    return typeof piece === "string" ? events + call.write(this.#emit, piece) : events;
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
    const events = this.#openText(type);
    return events + (this.#open?.write(this.#emit, kind, piece) ?? "");
  }

  #openText(type: TextItem["type"]): string {
    if (this.#open?.type === type) return "";
    let events = "";
    for (const event of this.#closeText("completed")) events += event;
    const id = this.#context.newId(type === "message" ? "msg" : "rs");
    this.#open = new TextItem(type, id, this.#items.length);
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
  for (const choice of elementTexts(memberText(chunk, "choices"))) {
    if (Number(memberText(choice, "index") ?? 0) !== 0) continue;
    const delta = memberText(choice, "delta");
    return delta?.startsWith("{") === true ? delta : undefined;
  }
  return undefined;
}

function note(known: Map<string, string>, text: string): void {
  for (const [name, member] of Object.entries(opaqueTexts(text) ?? {})) {
    if (member !== "null") known.set(name, mergedOpaque(known.get(name), member));
  }
}
