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
  ErrorEnvelope,
  ResponseItemStatus,
  ResponseUsage,
  ToolCallDelta,
} from "@svc/sdk/protocol";
import { invariant } from "../../domain/invariant.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { AnswerEnd, FailedEnd, SignedToolCall } from "../answer_relay.ts";
import { contentOf, reasoningOf } from "../chat/text.ts";
import { type ChunkContent, type Fields, firstDeltaText, readChunk } from "../chat/chunk.ts";
import type {
  EndedTurn,
  FindCitations,
  HostedCall,
  HostedOptions,
  HostedOutcome,
  HostedRelay,
} from "../hosted/relay.ts";
import { endedTurn, HostedCalls } from "../hosted/turn.ts";
import { elementTexts, memberText } from "../json/text.ts";
import { ITEM_CHARS, KeptChars } from "../text/kept_chars.ts";
import { lostCitations, lostFinish, lostOutput } from "../lost_output.ts";
import { type ShownFindings, shownFindings } from "../hosted/search_item.ts";
import { addedName, OPAQUE_MEMBERS, opaqueTexts } from "../chat/tool_calls.ts";
import { UpstreamWarnings } from "../upstream_warnings.ts";
import { UsageSum } from "../chat/usage.ts";
import { annotationsOf } from "./answer.ts";
import { StreamedLogprobs } from "./logprobs.ts";
import { asksForJson, endingOf, type PartKind, reasoningKind } from "./output_text.ts";
import { errorEvent, responseErrorOf, type ResponseRelay } from "./relay.ts";
import { partsIn, ResourceWriter, type ResponseContext } from "./resource.ts";
import { ResponseTurn } from "./response_turn.ts";
import {
  CallItem,
  type Emit,
  SearchCallItem,
  type StreamItem,
  TextItem,
  type WrittenPiece,
} from "./stream_items.ts";
import { responseUsageOf } from "./usage.ts";

/** Follows streamed chat answers and tells them as one response. */
export class ResponseEventRelay implements ResponseRelay, HostedRelay {
  resource: string | undefined;
  complete: string | undefined;
  readonly #context: ResponseContext;
  readonly #writer: ResourceWriter;
  readonly #reasoningKind: PartKind;
  readonly #hosted: HostedCalls;
  readonly #cite: FindCitations | undefined;
  readonly #shown: ShownFindings;
  /** Whether the last turn's message is the answer's only one, so that it can be parsed. */
  readonly #lastTurnOnly: boolean;
  readonly #logprobs: StreamedLogprobs;
  /** By output index. */
  readonly #items: StreamItem[] = [];
  readonly #kept = new KeptChars();
  /** What a caller who has left was sent of the turn at hand. */
  #sent: readonly string[] | undefined;
  readonly #warnings = new UpstreamWarnings();
  #open: TextItem | undefined;
  /** What is being said. */
  #openKind: PartKind | undefined;
  #sequence = 0;
  /** What the turns that have ended reported. */
  #reported: UsageSum | undefined;
  #turn: ResponseTurn;

  constructor(context: ResponseContext, options: HostedOptions = {}) {
    this.#context = context;
    this.#writer = new ResourceWriter(context);
    this.#reasoningKind = reasoningKind(context.request);
    this.#hosted = new HostedCalls(options.hosted);
    this.#cite = options.cite;
    this.#lastTurnOnly = options.hosted !== undefined && asksForJson(context.request);
    this.#logprobs = new StreamedLogprobs(context.request, this.#kept);
    this.#turn = this.#newTurn();
    this.#shown = shownFindings(context.request);
  }

  get usage(): Usage | undefined {
    return this.#turn.usage;
  }

  get finished(): boolean {
    return this.#turn.finishReason !== undefined;
  }

  get toolCalls(): readonly SignedToolCall[] {
    return this.#turn.calls.map(({ callId, name, input, opaque }) => (
      { id: callId, name, arguments: input, opaque: opaque.texts() }
    ));
  }

  get delivered(): readonly string[] {
    if (this.#sent !== undefined) return this.#sent;
    const unbegun = this.#turn.calls.filter((call) => !call.begun);
    // What is held back of a turn that has broken off is never sent.
    const held = this.finished && this.#turn.held !== undefined ? [this.#turn.held] : [];
    return [...this.#items.slice(this.#turn.start), ...unbegun, ...held]
      .flatMap((item) => item.pieces()).filter((piece) => piece !== "")
      .concat(this.#turn.untold.pieces());
  }

  /** With what came before this turn, and beside the text. */
  get deliveredChars(): number {
    return this.#kept.taken;
  }

  get notCarried(): readonly string[] {
    return this.#warnings.lines;
  }

  callerLeft(): void {
    this.#sent ??= this.delivered;
  }

  accept(text: string): string {
    if (this.#turn.ended) this.#beginTurn();
    const written = this.#turn.writtenIn(text);
    if (written !== undefined) return this.#write("message", "output_text", { piece: written });
    const chunk = readChunk(text);
    this.#turn.note(chunk, text);
    this.#warnings.add(chunk.value);
    this.#warnings.addLines(lostFinish(chunk.finishReason));
    return this.#begin() + this.#follow(chunk, text);
  }

  /** A clean end is one, with or without a finish reason. */
  upstreamEnded(): void {
    this.#turn.finishReason ??= "stop";
  }

  endTurn(): EndedTurn {
    if (this.#turn.ended) this.#beginTurn();
    const events = this.#begin() + [...this.#closeTurn()].join("");
    this.#turn.ended = true;
    (this.#reported ??= new UsageSum()).add(this.#turn.reportedUsage);
    const items = this.#items.slice(this.#turn.start).filter((item) => item instanceof TextItem);
    const messages = [...items.filter(({ type }) => type === "message"), this.#turn.held]
      .filter((said) => said !== undefined);
    return endedTurn({
      content: messages.map((message) => message.said("output_text")).join(""),
      refusal: messages.map((message) => message.said("refusal")).join(""),
      opaque: this.#turn.opaque.texts(),
      calls: this.toolCalls,
      finishReason: this.#turn.finishReason,
    }, events);
  }

  answeredBy(model: string): void {
    this.#writer.model = model;
  }

  /** An event of the service's own beside the answer. */
  extension(type: `svc:${string}`, fields: Readonly<Record<string, unknown>>): string {
    return this.#begin() + this.#emit(type, JSON.stringify(fields).slice(1, -1));
  }

  limitReached(): void {
    this.#turn.limitReached();
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
    yield this.#begin() + this.#showHeld();
    yield* this.#closeTurn();
    const ending = endingOf(this.#turn.finishReason);
    for (const [at, item] of this.#items.entries()) {
      if (!item.ended) yield* item.done(this.#emit, this.#statusOf(at, ending.status));
    }
    this.resource = this.#writer.text({
      ...ending,
      completed_at: ending.status === "completed" ? end.completedSeconds : null,
      usage: this.#usageOf(end.usage),
      metadata: end.metadata,
      ...partsIn(this.#context, { ...end, isDone: true }),
      output: this.#items.map((item) => item.text(ending.status)),
    });
    this.complete = this.resource;
    yield this.#emit(`response.${ending.status}`, `"response":${this.resource}`);
  }

  *failed({ error }: ErrorEnvelope, end: FailedEnd): Iterable<string> {
    yield this.#begin() + this.#beginLast(false);
    this.resource = this.#writer.text({
      status: "failed",
      error: responseErrorOf(error),
      usage: end.usage === undefined ? null : this.#usageOf(end.usage),
      metadata: end.metadata,
      ...partsIn(this.#context, { ...end, isDone: false }),
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
    this.#turn = this.#newTurn();
    this.#warnings.beginTurn();
  }

  /** Ends what the turn left open, but for the caller's calls, and begins those that never began. */
  *#closeTurn(): Iterable<string> {
    for (const call of this.#turn.calls) {
      if (this.#hosted.has(call.name)) call.callId ||= this.#context.newId("call");
      else if (!call.begun) yield this.#beginCall(call);
    }
    yield* this.#closeText(endingOf(this.#turn.finishReason).status);
  }

  /** Of several turns each has reported its own: the counts are the sums. */
  #usageOf(usage: Usage): ResponseUsage {
    if (this.#reported === undefined) return responseUsageOf(usage, this.#turn.reportedUsage);
    if (!this.#turn.ended) this.#reported.add(this.#turn.reportedUsage);
    return responseUsageOf(usage, this.#reported.usageOf(usage));
  }

  #follow({ delta, toolCalls, logprobs: scored }: ChunkContent, text: string): string {
    if (delta === undefined) return "";
    const logprobs = this.#logprobs.of(scored);
    this.#warnings.addLines([...lostOutput(delta), ...lostCitations(delta)]);
    let events = this.#write("reasoning", this.#reasoningKind, { piece: reasoningOf(delta) });
    events += this.#write("message", "output_text", { piece: contentOf(delta), logprobs });
    for (const annotation of annotationsOf(delta)) {
      this.#kept.take(ITEM_CHARS + JSON.stringify(annotation).length);
      if (this.#turn.held !== undefined) this.#turn.held.cite(annotation);
      else {
        events += this.#openText("message", "output_text");
        events += this.#open?.cite(this.#emit, annotation) ?? "";
      }
    }
    this.#turn.noteBeside(delta, { eventChars: text.length, kept: this.#kept });
    const refusal = delta["refusal"];
    const piece = typeof refusal === "string" ? refusal : "";
    events += this.#write("message", "refusal", { piece });
    const isSigned = OPAQUE_MEMBERS.some((name) => text.includes(name));
    const deltaText = isSigned ? firstDeltaText(text) : undefined;
    const opaque = deltaText === undefined ? undefined : opaqueTexts(deltaText);
    if (opaque !== undefined) {
      this.#turn.opaque.add(opaque, this.#kept);
      if (this.#open?.type === "message") this.#open.opaque.add(opaque, this.#kept);
    }
    const callTexts = elementTexts(deltaText && memberText(deltaText, "tool_calls"));
    if (toolCalls.length === 0) return events;
    for (const [at, place] of this.#turn.indexes.of(toolCalls).entries()) {
      const known = this.#turn.calls[place];
      if (known === undefined) events += this.#beginLast(true);
      const call = known ?? this.#newCall();
      events += this.#followCall(call, toolCalls[at] ?? {}, callTexts[at]);
    }
    return events;
  }

  #newCall(): CallItem {
    this.#kept.take(ITEM_CHARS);
    const call = new CallItem();
    this.#turn.calls.push(call);
    return call;
  }

  #followCall(call: CallItem, delta: Partial<ToolCallDelta>, text: string | undefined): string {
    let events = "";
    const opaque = text === undefined ? undefined : opaqueTexts(text);
    if (opaque !== undefined) call.opaque.add(opaque, this.#kept);
    const called: Fields = { ...delta.function };
    const piece = called["arguments"];
    if (!call.begun) {
      this.#turn.nameCall(call, delta.id);
      const name = addedName(call.name, called["name"]);
      this.#kept.take(name.length);
      call.name += name;
      const hasInput = typeof piece === "string" && piece !== "";
      if (hasInput && this.#hosted.mayShow(call.name, true)) events += this.#beginCall(call);
    }
    if (typeof piece !== "string") return events;
    this.#kept.take(piece.length);
    return events + call.write(this.#emit, piece);
  }

  /**
   * Begins the last call where it is still held back, since its name may come in pieces: what comes
   * after it shows that the name is whole. Only another call shows that it is no hosted tool's.
   */
  #beginLast(isFollowed: boolean): string {
    const call = this.#turn.calls.at(-1);
    const isHeld = call?.begun === false && this.#hosted.mayShow(call.name, isFollowed);
    return isHeld ? this.#beginCall(call) : "";
  }

  #beginCall(call: CallItem): string {
    const { newId } = this.#context;
    // Whoever is called by name must answer: no turn of this answer follows.
    let events = this.#showHeld();
    for (const event of this.#closeText("completed")) events += event;
    const id = newId("fc");
    const callId = call.callId === "" ? newId("call") : call.callId;
    return events + call.begin(this.#emit, { id, callId }, this.#items.push(call) - 1);
  }

  #write(type: TextItem["type"], kind: PartKind, written: WrittenPiece): string {
    if (written.piece === "") return "";
    this.#kept.take(written.piece.length);
    if (type === "message" && this.#turn.held !== undefined) {
      this.#countPart(kind);
      this.#turn.held.write(kind, written);
      return "";
    }
    const events = this.#openText(type, kind);
    return events + (this.#open?.write(this.#emit, kind, written) ?? "");
  }

  #openText(type: TextItem["type"], kind: PartKind): string {
    const events = this.#beginLast(false);
    this.#countPart(kind);
    return this.#open?.type === type ? events : events + this.#beginText(type);
  }

  #countPart(kind: PartKind): void {
    if (kind !== this.#openKind) this.#kept.take(ITEM_CHARS);
    this.#openKind = kind;
  }

  #beginText(type: TextItem["type"]): string {
    let events = "";
    for (const event of this.#closeText("completed")) events += event;
    const id = this.#context.newId(type === "message" ? "msg" : "rs");
    this.#open = new TextItem(type, { id, outputIndex: this.#items.length }, this.#cite);
    this.#items.push(this.#open);
    return events + this.#open.added(this.#emit);
  }

  #newTurn(): ResponseTurn {
    return new ResponseTurn({ start: this.#items.length, isHeld: this.#lastTurnOnly });
  }

  /** The turn is the answer's last: its message is, and nothing more of it is held back. */
  #showHeld(): string {
    const { held, opaque } = this.#turn;
    this.#turn.held = undefined;
    if (held === undefined || held.isEmpty) return "";
    const events = this.#beginText("message");
    // They have been counted with the turn's.
    this.#open?.opaque.add(Object.fromEntries(opaque.texts()), new KeptChars());
    return events + (this.#open === undefined ? "" : held.showIn(this.#open, this.#emit));
  }

  *#closeText(status: ResponseItemStatus): Iterable<string> {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = this.#openKind = undefined;
    yield* open.done(this.#emit, status);
  }

  /** Only what the response was cut in is incomplete: its last item. */
  #statusOf(at: number, ending: "completed" | "incomplete"): ResponseItemStatus {
    return at === this.#items.length - 1 ? ending : "completed";
  }
}
