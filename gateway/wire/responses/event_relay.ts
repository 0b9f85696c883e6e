/**
 * Converts streamed chat answers to the events of a response: one answer, or the turns of several with
 * searches between them.
 *
 * Reasoning and messages are closed before any other item begins; tool calls stay open to the end,
 * since the pieces of parallel calls may alternate.
 *
 * @module
 */

import type { ErrorEnvelope, ResponseUsage, ToolCallDelta } from "@svc/sdk/protocol";
import { CHECKED_CHARS_MAX, type ObservedAnswer } from "../../domain/learning/answer_check.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { AnswerEnd, FailedEnd, SignedToolCall } from "../answer_relay.ts";
import { contentOf, reasoningOf } from "../chat/text.ts";
import { type ChunkContent, type Fields, firstDeltaText, readChunk } from "../chat/chunk.ts";
import type {
  EndedTurn,
  HostedCall,
  HostedOptions,
  HostedOutcome,
  HostedRelay,
} from "../hosted/relay.ts";
import { endedTurn, HostedCalls } from "../hosted/turn.ts";
import { elementTexts, memberText } from "../json/text.ts";
import { CharBudget, ITEM_CHARS } from "../text/char_budget.ts";
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
import { ResponseOutput } from "./response_output.ts";
import { CallItem, TextItem, type WrittenPiece } from "./stream_items.ts";
import { responseUsageOf } from "./usage.ts";

/** Relays streamed chat answers as one response. */
export class ResponseEventRelay implements ResponseRelay, HostedRelay {
  resource: string | undefined;
  complete: string | undefined;
  readonly #context: ResponseContext;
  readonly #writer: ResourceWriter;
  readonly #reasoningKind: PartKind;
  readonly #hosted: HostedCalls;
  readonly #shown: ShownFindings;
  /** True when the last turn's message is the answer's only one, so that it can be parsed. */
  readonly #lastTurnOnly: boolean;
  readonly #logprobs: StreamedLogprobs;
  readonly #budget = new CharBudget();
  readonly #output: ResponseOutput;
  /** Pieces of the current turn that a disconnected caller received. */
  #sent: readonly string[] | undefined;
  readonly #warnings = new UpstreamWarnings();
  /** Usage that the ended turns reported. */
  #reported: UsageSum | undefined;
  #turn: ResponseTurn;

  constructor(context: ResponseContext, options: HostedOptions = {}) {
    this.#context = context;
    this.#writer = new ResourceWriter(context);
    this.#reasoningKind = reasoningKind(context.request);
    this.#hosted = new HostedCalls(options.hosted);
    this.#output = new ResponseOutput({ context, cite: options.cite, budget: this.#budget });
    this.#lastTurnOnly = options.hosted !== undefined && asksForJson(context.request);
    this.#logprobs = new StreamedLogprobs(context.request, this.#budget);
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
    const waiting = this.#turn.calls.filter((call) => !call.hasBegun);
    // Content that a broken turn holds back is never sent.
    const held = this.finished && this.#turn.held !== undefined ? [this.#turn.held] : [];
    return [...this.#output.items.slice(this.#turn.start), ...waiting, ...held]
      .flatMap((item) => item.pieces()).filter((piece) => piece !== "")
      .concat(this.#turn.unsent.pieces());
  }

  /** Includes earlier turns, and content beside the text. */
  get deliveredChars(): number {
    return this.#budget.used;
  }

  get notCarried(): readonly string[] {
    return this.#warnings.lines;
  }

  callerDisconnected(): void {
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

  /** A clean end is valid with or without a finish reason. */
  upstreamEnded(): void {
    this.#turn.finishReason ??= "stop";
  }

  endTurn(): EndedTurn {
    if (this.#turn.ended) this.#beginTurn();
    const events = this.#begin() + [...this.#closeTurn()].join("");
    this.#turn.ended = true;
    (this.#reported ??= new UsageSum()).add(this.#turn.reportedUsage);
    return endedTurn({
      content: this.#textOf("output_text"),
      refusal: this.#textOf("refusal"),
      opaque: this.#turn.opaque.texts(),
      calls: this.toolCalls,
      finishReason: this.#turn.finishReason,
    }, events);
  }

  observed(): ObservedAnswer {
    const text = this.#textOf("output_text");
    const { finishReason } = this.#turn;
    return {
      text: text.length > CHECKED_CHARS_MAX ? undefined : text,
      hasContent: text.trim() !== "" || this.#turn.unsent.length > 0,
      isRefused: finishReason === "content_filter" || this.#textOf("refusal") !== "",
      isCut: finishReason === "length",
      calls: this.toolCalls.map(({ name, arguments: input }) => ({ name, input })),
    };
  }

  answeredBy(model: string): void {
    this.#writer.model = model;
  }

  /** Returns an event of the service beside the answer. */
  extension(type: `svc:${string}`, fields: Readonly<Record<string, unknown>>): string {
    return this.#begin() + this.#output.emit(type, JSON.stringify(fields).slice(1, -1));
  }

  limitReached(): void {
    this.#turn.limitReached();
  }

  searching(call: HostedCall): string {
    return this.#begin() + this.#output.beginSearch(call, this.#shown);
  }

  searched(call: HostedCall, outcome: HostedOutcome): string {
    return this.#output.endSearch(call, outcome);
  }

  *completed(end: AnswerEnd): Iterable<string> {
    yield this.#begin() + this.#showHeld();
    yield* this.#closeTurn();
    const ending = endingOf(this.#turn.finishReason);
    yield* this.#output.end(ending.status);
    this.resource = this.#writer.text({
      ...ending,
      completed_at: ending.status === "completed" ? end.completedSeconds : null,
      usage: this.#usageOf(end.usage),
      metadata: end.metadata,
      ...partsIn(this.#context, { ...end, isDone: true }),
      output: this.#output.items.map((item) => item.text(ending.status)),
    });
    this.complete = this.resource;
    yield this.#output.emit(`response.${ending.status}`, `"response":${this.resource}`);
  }

  *failed({ error }: ErrorEnvelope, end: FailedEnd): Iterable<string> {
    yield this.#begin() + this.#beginLast(false);
    this.resource = this.#writer.text({
      status: "failed",
      error: responseErrorOf(error),
      usage: end.usage === undefined ? null : this.#usageOf(end.usage),
      metadata: end.metadata,
      ...partsIn(this.#context, { ...end, isDone: false }),
      output: this.#output.items.map((item) => item.text("incomplete")),
    });
    yield this.#output.emit("response.failed", `"response":${this.resource}`);
    yield errorEvent(error, this.#output.nextNumber());
  }

  /** Returns the text of one kind in the messages of the turn. */
  #textOf(kind: PartKind): string {
    const items = this.#output.items.slice(this.#turn.start).filter((item) =>
      item instanceof TextItem
    );
    return [...items.filter(({ type }) => type === "message"), this.#turn.held]
      .map((message) => message?.textOf(kind) ?? "").join("");
  }

  #begin(): string {
    if (this.#output.hasBegun) return "";
    const response = this.#writer.text({
      status: "in_progress",
      usage: null,
      metadata: this.#context.opening,
      output: [],
    });
    return this.#output.emit("response.created", `"response":${response}`) +
      this.#output.emit("response.in_progress", `"response":${response}`);
  }

  #beginTurn(): void {
    this.#turn = this.#newTurn();
    this.#warnings.beginTurn();
  }

  /** Closes the turn's text, and begins calls of the caller that were held back. */
  *#closeTurn(): Iterable<string> {
    for (const call of this.#turn.calls) {
      if (this.#hosted.has(call.name)) call.callId ||= this.#context.newId("call");
      else if (!call.hasBegun) yield this.#beginCall(call);
    }
    yield* this.#output.closeText(endingOf(this.#turn.finishReason).status);
  }

  /** Returns the usage; with several turns, each reported its own, and the counts are sums. */
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
      this.#budget.add(ITEM_CHARS + JSON.stringify(annotation).length);
      if (this.#turn.held !== undefined) this.#turn.held.cite(annotation);
      else {
        events += this.#openText("message", "output_text");
        events += this.#output.open?.cite(this.#output.emit, annotation) ?? "";
      }
    }
    this.#turn.noteBeside(delta, { eventChars: text.length, budget: this.#budget });
    const refusal = delta["refusal"];
    const piece = typeof refusal === "string" ? refusal : "";
    events += this.#write("message", "refusal", { piece });
    const isSigned = OPAQUE_MEMBERS.some((name) => text.includes(name));
    const deltaText = isSigned ? firstDeltaText(text) : undefined;
    const opaque = deltaText === undefined ? undefined : opaqueTexts(deltaText);
    if (opaque !== undefined) {
      this.#turn.opaque.add(opaque, this.#budget);
      const { open } = this.#output;
      if (open?.type === "message") open.opaque.add(opaque, this.#budget);
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
    this.#budget.add(ITEM_CHARS);
    const call = new CallItem();
    this.#turn.calls.push(call);
    return call;
  }

  #followCall(call: CallItem, delta: Partial<ToolCallDelta>, text: string | undefined): string {
    let events = "";
    const opaque = text === undefined ? undefined : opaqueTexts(text);
    if (opaque !== undefined) call.opaque.add(opaque, this.#budget);
    const called: Fields = { ...delta.function };
    const piece = called["arguments"];
    if (!call.hasBegun) {
      this.#turn.nameCall(call, delta.id);
      const name = addedName(call.name, called["name"]);
      this.#budget.add(name.length);
      call.name += name;
      const hasInput = typeof piece === "string" && piece !== "";
      if (hasInput && this.#hosted.mayShow(call.name, true)) events += this.#beginCall(call);
    }
    if (typeof piece !== "string") return events;
    this.#budget.add(piece.length);
    return events + call.write(this.#output.emit, piece);
  }

  /**
   * Begins the last call where it is still held back, since its name may arrive in pieces: later content
   * shows that the name is complete. Only another call shows that it is no hosted tool's.
   */
  #beginLast(isFollowed: boolean): string {
    const call = this.#turn.calls.at(-1);
    const isHeld = call?.hasBegun === false && this.#hosted.mayShow(call.name, isFollowed);
    return isHeld ? this.#beginCall(call) : "";
  }

  #beginCall(call: CallItem): string {
    // The caller answers this call, so this is the last turn of the answer.
    return this.#showHeld() + this.#output.beginCall(call);
  }

  #write(type: TextItem["type"], kind: PartKind, written: WrittenPiece): string {
    if (written.piece === "") return "";
    this.#budget.add(written.piece.length);
    if (type === "message" && this.#turn.held !== undefined) {
      this.#output.countPart(kind);
      this.#turn.held.write(kind, written);
      return "";
    }
    const events = this.#openText(type, kind);
    return events + (this.#output.open?.write(this.#output.emit, kind, written) ?? "");
  }

  #openText(type: TextItem["type"], kind: PartKind): string {
    const events = this.#beginLast(false);
    this.#output.countPart(kind);
    return this.#output.open?.type === type ? events : events + this.#output.beginText(type);
  }

  #newTurn(): ResponseTurn {
    return new ResponseTurn({ start: this.#output.items.length, isHeld: this.#lastTurnOnly });
  }

  /** Sends the held message: this turn is the answer's last. */
  #showHeld(): string {
    const { held, opaque } = this.#turn;
    this.#turn.held = undefined;
    if (held === undefined || held.isEmpty) return "";
    const events = this.#output.beginText("message");
    const { open, emit } = this.#output;
    // The members are counted with the turn's.
    open?.opaque.add(Object.fromEntries(opaque.texts()), new CharBudget());
    return events + (open === undefined ? "" : held.showIn(open, emit));
  }
}
