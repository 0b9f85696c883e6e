/**
 * Chat answers of several turns, with searches between them, as one answer of Chat Completions.
 *
 * What a model sends keeps its bytes but for what makes one answer of many: one id, one role, gapless
 * indexes of the caller's calls, one finish.
 *
 * @module
 */

import type {
  ChatCompletionChunk,
  ErrorEnvelope,
  ResponseAnnotation,
  ServiceMetadata,
} from "@svc/sdk/protocol";
import type { Usage } from "../domain/pricing.ts";
import type { AnswerEnd, SignedToolCall } from "./answer_relay.ts";
import { collectText, contentOf, reasoningOf } from "./chat_text.ts";
import {
  type ChunkContent,
  type Fields,
  firstChoiceText,
  firstDeltaText,
  readChunk,
} from "./chunk.ts";
import { GatheredText } from "./gathered_text.ts";
import { HostedChatCalls, type HostedChatOptions } from "./hosted_chat_calls.ts";
import {
  chatAnnotation,
  type ChatHead,
  completionText,
  movedAnnotation,
  saysAnything,
} from "./hosted_chat_answer.ts";
import type {
  EndedTurn,
  FindCitations,
  HostedCall,
  HostedOutcome,
  HostedRelay,
} from "./hosted_relay.ts";
import { endedTurn } from "./hosted_turn.ts";
import { editMembers, elementTexts, type MemberEdits, memberText } from "./json_text.ts";
import { ITEM_CHARS, KeptChars } from "./kept_chars.ts";
import { OpaqueMembers } from "./opaque_members.ts";
import { annotationsOf } from "./responses/answer.ts";
import { SearchLog } from "./search_item.ts";
import { SSE_DONE, sseEvent } from "./sse.ts";
import { patternText, type TextChunkPattern, textChunkPattern } from "./text_chunk.ts";
import { OPAQUE_MEMBERS, opaqueTexts } from "./tool_calls.ts";
import { UpstreamWarnings } from "./upstream_warnings.ts";
import { readChatUsage, UsageSum } from "./usage.ts";

/** Chunks that are looked at for a pattern: streams in which all differ have none. */
const PATTERNS_MAX = 8;

/** Stands between the texts of two turns. */
const BLANK_LINE = "\n\n";

/** Finish reasons that say that something is missing: they hold, whatever was called. */
const CUT_REASONS: readonly string[] = ["length", "content_filter"];

/** A pattern, and what its chunks become. */
interface ShownPattern {
  readonly from: TextChunkPattern;
  readonly to: TextChunkPattern;
}

/** What a turn that is dropped goes back to. */
interface TurnStart {
  readonly head: ChatHead | undefined;
  readonly hasRole: boolean;
  readonly annotations: number;
}

/** Follows the turns of one choice. */
export class HostedChatRelay implements HostedRelay {
  usage: Usage | undefined;
  complete: string | undefined;
  readonly #model: string;
  readonly #cite: FindCitations | undefined;
  readonly #createdSeconds: number;
  readonly #calls: HostedChatCalls;
  readonly #searches = new SearchLog();
  readonly #kept = new KeptChars();
  readonly #warnings = new UpstreamWarnings();
  readonly #content = new GatheredText();
  readonly #refusal = new GatheredText();
  readonly #reasoning = new GatheredText();
  /** All that the turns at hand and before it cite. */
  readonly #annotations: ResponseAnnotation[] = [];
  readonly #reported = new UsageSum();
  #contentLength = 0;
  #head: ChatHead | undefined;
  #hasRole = false;
  // Of the turn at hand:
  #turnEnded = false;
  #turnStart: TurnStart = { head: undefined, hasRole: false, annotations: 0 };
  #said = newTexts();
  /** Whether it has said anything that its text goes on from. */
  #hasContent = false;
  #delivered = new GatheredText();
  #opaque = new OpaqueMembers();
  #finishReason: string | undefined;
  #reportedUsage: unknown;
  #pattern: ShownPattern | undefined;
  #patternsLeft = PATTERNS_MAX;

  /** `model` is the catalog id that callers are shown. */
  constructor(model: string, options: HostedChatOptions) {
    this.#model = model;
    this.#cite = options.cite;
    this.#createdSeconds = options.createdSeconds;
    this.#calls = new HostedChatCalls(options, this.#kept);
  }

  get delivered(): readonly string[] {
    return this.#delivered.pieces();
  }

  get finished(): boolean {
    return this.#finishReason !== undefined;
  }

  get toolCalls(): readonly SignedToolCall[] {
    return this.#calls.ofTurn();
  }

  accept(text: string): string {
    if (this.#turnEnded) this.#beginTurn();
    const pattern = this.#pattern;
    const written = pattern && patternText(text, pattern.from);
    if (pattern !== undefined && written !== undefined) {
      const { from, to } = pattern;
      this.#kept.take(written.length);
      this.#said.content.push(written, text.length);
      this.#delivered.push(written, text.length);
      const literal = text.slice(from.before.length, text.length - from.after.length);
      return sseEvent(to.before + literal + to.after);
    }
    const chunk = readChunk(text);
    this.#noteHead(chunk.value);
    this.#noteUsage(chunk.usage);
    this.#warnings.add(chunk.value);
    this.#finishReason ??= chunk.finishReason;
    const shown = chunk.delta === undefined ? undefined : this.#shownChunk(chunk, text);
    if (shown === undefined) return "";
    this.#learn(text, { chunk, shown });
    return sseEvent(shown);
  }

  /** A clean end is one, with or without a finish reason. */
  upstreamEnded(): void {}

  endTurn(): EndedTurn {
    if (this.#turnEnded) this.#beginTurn();
    const events = this.#showCalls();
    this.#turnEnded = true;
    this.#reported.add(this.#reportedUsage);
    const content = this.#said.content.text();
    const refusal = this.#said.refusal.text();
    this.#keep(content);
    this.#refusal.push(refusal);
    this.#reasoning.push(this.#said.reasoning.text());
    return endedTurn({
      content,
      refusal,
      opaque: this.#opaque.texts(),
      calls: this.toolCalls,
      finishReason: this.#finishReason,
    }, events);
  }

  dropTurn(): void {
    if (this.#turnEnded) return;
    const { head, hasRole, annotations } = this.#turnStart;
    this.#head = head;
    this.#hasRole = hasRole;
    this.#annotations.length = annotations;
    this.#calls.dropTurn();
    this.#warnings.dropTurn();
    this.#beginTurn();
  }

  /** Searches are told at the end. */
  searching(call: HostedCall): string {
    this.#searches.begin(call);
    return "";
  }

  searched(call: HostedCall, outcome: HostedOutcome): string {
    this.#searches.end(call, outcome);
    return "";
  }

  *completed(end: AnswerEnd): Iterable<string> {
    if (!this.#turnEnded) yield this.endTurn().events;
    const content = this.#content.text();
    if (!this.#hasRole) yield this.#event('{"content":""}');
    const annotations = [...this.#annotations, ...this.#cite?.(content) ?? []].map(chatAnnotation);
    if (annotations.length > 0) yield this.#event(JSON.stringify({ annotations }));
    const finishReason = this.#finish();
    yield this.#event("{}", finishReason);
    const warnings = this.#warnings.lines;
    const head = {
      ...this.#headOf(),
      model: this.#model,
      usage: this.#reported.usageOf(end.usage),
      metadata: this.#metadataOf(end),
      // Those of a later turn have been in no chunk yet.
      ...(warnings.length === 0 ? {} : { upstream_warnings: warnings }),
    };
    yield sseEvent(JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [] }));
    this.complete = completionText(head, {
      content,
      refusal: this.#refusal.text(),
      reasoning: this.#reasoning.text(),
      annotations,
      opaque: this.#opaque.texts(),
      calls: this.#calls.shown(),
      finishReason,
    });
    yield SSE_DONE;
  }

  /** One event that says so, and never a clean end. */
  failed(envelope: ErrorEnvelope): Iterable<string> {
    return [sseEvent(JSON.stringify({ ...envelope, choices: [] }))];
  }

  #beginTurn(): void {
    this.#turnEnded = false;
    const [head, hasRole, annotations] = [this.#head, this.#hasRole, this.#annotations.length];
    this.#turnStart = { head, hasRole, annotations };
    this.#said = newTexts();
    this.#hasContent = false;
    this.#delivered = new GatheredText();
    this.#opaque = new OpaqueMembers();
    this.#calls.beginTurn();
    this.#warnings.beginTurn();
    this.#finishReason = undefined;
    this.usage = undefined;
    this.#reportedUsage = undefined;
    this.#pattern = undefined;
    this.#patternsLeft = PATTERNS_MAX;
  }

  /** What becomes of a chunk: nothing where it says nothing to the caller. */
  #shownChunk({ delta = {}, toolCalls, usage }: ChunkContent, text: string): string | undefined {
    const choice = firstChoiceText(text);
    const written = choice === undefined ? undefined : memberText(choice, "delta");
    if (choice === undefined || written === undefined) return undefined;
    this.#note(delta, text);
    const callTexts = this.#calls.follow(
      toolCalls,
      elementTexts(memberText(written, "tool_calls")),
    );
    const edits = {
      ...this.#roleEdit(delta),
      ...this.#contentEdit(delta, text.length),
      ...(delta["annotations"] === undefined ? {} : { annotations: undefined }),
      ...(toolCalls.length === 0
        ? {}
        : { tool_calls: callTexts.length === 0 ? undefined : `[${callTexts.join(",")}]` }),
    };
    this.#noteAnnotations(delta);
    if (this.#hasRole && callTexts.length === 0 && !saysAnything(delta)) return undefined;
    this.#hasRole = true;
    const { id, created } = this.#headOf();
    const shown = editMembers(choice, {
      index: "0",
      delta: editMembers(written, edits),
      finish_reason: "null",
    });
    return editMembers(text, {
      id: JSON.stringify(id),
      object: '"chat.completion.chunk"',
      created: String(created),
      model: JSON.stringify(this.#model),
      choices: `[${shown}]`,
      ...(usage === undefined ? {} : { usage: "null" }),
    });
  }

  /** The role comes once. */
  #roleEdit(delta: Fields): MemberEdits {
    if (this.#hasRole) return { role: undefined };
    return typeof delta["role"] === "string" ? {} : { role: '"assistant"' };
  }

  /** Text of a later turn goes on after a blank line. */
  #contentEdit(delta: Fields, kept: number): MemberEdits {
    const content = contentOf(delta);
    if (content === "") return {};
    const isApart = !this.#hasContent && this.#contentLength > 0;
    this.#hasContent = true;
    this.#kept.take(content.length);
    this.#said.content.push(content, kept);
    if (!isApart && typeof delta["content"] === "string") return {};
    return { content: JSON.stringify(isApart ? BLANK_LINE + content : content) };
  }

  /** Positions relate to the whole message. */
  #noteAnnotations(delta: Fields): void {
    const start = this.#contentLength === 0 ? 0 : this.#contentLength + BLANK_LINE.length;
    for (const annotation of annotationsOf(delta)) {
      this.#kept.take(ITEM_CHARS + JSON.stringify(annotation).length);
      this.#annotations.push(movedAnnotation(annotation, start));
    }
  }

  #note(delta: Fields, text: string): void {
    collectText(delta, this.#delivered);
    this.#noteText(this.#said.reasoning, reasoningOf(delta));
    this.#noteText(this.#said.refusal, delta["refusal"]);
    if (!OPAQUE_MEMBERS.some((name) => text.includes(name))) return;
    const opaque = opaqueTexts(firstDeltaText(text) ?? "{}");
    if (opaque !== undefined) this.#opaque.add(opaque, this.#kept);
  }

  #noteText(said: GatheredText, text: unknown): void {
    if (typeof text !== "string") return;
    this.#kept.take(text.length);
    said.push(text);
  }

  /** Adds a turn's text to that of the turns before it. */
  #keep(content: string): void {
    if (content === "") return;
    const text = this.#contentLength === 0 ? content : BLANK_LINE + content;
    this.#content.push(text);
    this.#contentLength += text.length;
  }

  #noteHead({ id, created }: Fields): void {
    if (typeof id !== "string" || id === "") return;
    const isTime = typeof created === "number" && created > 0;
    this.#head ??= { id, created: isTime ? created : this.#createdSeconds };
  }

  /** Once it has been shown it stays. */
  #headOf(): ChatHead {
    return this.#head ??= { id: "chatcmpl-empty", created: this.#createdSeconds };
  }

  #noteUsage(usage: unknown): void {
    const read = readChatUsage(usage);
    if (read === undefined) return;
    this.usage = read;
    this.#reportedUsage = usage;
  }

  /** A pattern holds from the turn's first text on: that may have been set apart. */
  #learn(text: string, { chunk, shown }: { chunk: ChunkContent; shown: string }): void {
    if (this.#patternsLeft === 0 || contentOf(chunk.delta ?? {}) === "") return;
    this.#patternsLeft -= 1;
    const from = textChunkPattern(text, chunk.value as unknown as ChatCompletionChunk);
    const to = from && textChunkPattern(shown, JSON.parse(shown));
    if (from !== undefined && to !== undefined) this.#pattern = { from, to };
  }

  #showCalls(): string {
    const texts = this.#calls.showRest();
    return texts.length === 0 ? "" : this.#event(`{"tool_calls":[${texts.join(",")}]}`);
  }

  #event(delta: string, finishReason: string | null = null): string {
    const written = this.#hasRole ? delta : editMembers(delta, { role: '"assistant"' });
    this.#hasRole = true;
    const head = { ...this.#headOf(), object: "chat.completion.chunk", model: this.#model };
    const finish = JSON.stringify(finishReason);
    const choices = `[{"index":0,"delta":${written},"finish_reason":${finish}}]`;
    return sseEvent(editMembers(JSON.stringify(head), { choices }));
  }

  /** Why the answer ended: calls that the caller never saw are no reason. */
  #finish(): string {
    const reason = this.#finishReason ?? "stop";
    if (CUT_REASONS.includes(reason)) return reason;
    if (this.#calls.hasShownInTurn) return "tool_calls";
    return reason === "tool_calls" ? "stop" : reason;
  }

  #metadataOf({ metadata }: AnswerEnd): ServiceMetadata {
    const hosted_tools = this.#searches.items();
    if (hosted_tools.length === 0) return metadata;
    return { ...metadata, hosted_tools };
  }
}

function newTexts() {
  return {
    content: new GatheredText(),
    refusal: new GatheredText(),
    reasoning: new GatheredText(),
  };
}
