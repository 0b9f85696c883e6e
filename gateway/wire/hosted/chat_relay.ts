/**
 * Relays chat answers of several turns, with searches between them, as one answer of Chat
 * Completions.
 *
 * Text of a model keeps its bytes, except for what makes one answer of several: one id, one role,
 * gapless indexes of the caller's calls, one finish.
 *
 * @module
 */

import type { ChatCompletionChunk, ErrorEnvelope } from "@svc/sdk/protocol";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { AnswerEnd, SignedToolCall } from "../answer_relay.ts";
import { endsByFinish } from "../chat/closing.ts";
import { type ChatForm, metadataOf, SERVICE_FORM } from "../chat/form.ts";
import { besideText, collectText, contentOf } from "../chat/text.ts";
import {
  type ChunkContent,
  type Fields,
  firstChoiceText,
  firstDeltaText,
  readChunk,
} from "../chat/chunk.ts";
import { CollectedText } from "../text/collected_text.ts";
import { HostedChatCalls, type HostedChatOptions } from "./chat_calls.ts";
import { chatAnnotation, type ChatHead, completionText, hasContent } from "./chat_answer.ts";
import { HostedChatTexts } from "./chat_texts.ts";
import type { EndedTurn, FindCitations, HostedCall, HostedOutcome, HostedRelay } from "./relay.ts";
import { endedTurn } from "./turn.ts";
import { editMembers, elementTexts, type MemberEdits, memberText } from "../json/text.ts";
import { CharBudget } from "../text/char_budget.ts";
import { lostCitations, lostOutput } from "../lost_output.ts";
import { OpaqueMembers } from "../chat/opaque_members.ts";
import { SearchLog } from "./search_item.ts";
import { SSE_DONE, sseEvent } from "../sse.ts";
import { patternText, type TextChunkPattern, textChunkPattern } from "../chat/text_chunk.ts";
import { OPAQUE_MEMBERS, opaqueTexts } from "../chat/tool_calls.ts";
import { listed, UpstreamWarnings } from "../upstream_warnings.ts";
import { laterUsage, readChatUsage, UsageSum } from "../chat/usage.ts";

/** Maximum number of chunks that are examined for a pattern: some streams have none. */
const PATTERNS_MAX = 8;

/** Finish reasons of incomplete answers, which are passed on even if tools were called. */
const CUT_REASONS: readonly string[] = ["length", "content_filter"];

/** A pattern, and the bytes that its chunks are sent with. */
interface ShownPattern {
  readonly from: TextChunkPattern;
  readonly to: TextChunkPattern;
}

/** Relays the turns of one choice. */
export class HostedChatRelay implements HostedRelay {
  usage: Usage | undefined;
  complete: string | undefined;
  readonly #cite: FindCitations | undefined;
  readonly #createdSeconds: number;
  readonly #form: ChatForm;
  readonly #calls: HostedChatCalls;
  readonly #searches = new SearchLog();
  readonly #budget = new CharBudget();
  /** Pieces of the current turn that a disconnected caller received. */
  #sent: readonly string[] | undefined;
  readonly #warnings = new UpstreamWarnings();
  /** Lost members that only a stream of the answer shows. */
  readonly #lost = new Set<string>();
  readonly #texts: HostedChatTexts;
  readonly #reported = new UsageSum();
  #model: string;
  #head: ChatHead | undefined;
  #hasRole = false;
  // State of the current turn:
  #turnEnded = false;
  #delivered = new CollectedText();
  #opaque = new OpaqueMembers();
  #finishReason: string | undefined;
  #reportedUsage: unknown;
  #pattern: ShownPattern | undefined;
  #patternsLeft = PATTERNS_MAX;

  /** `model` is the catalog id that callers see. */
  constructor(model: string, options: HostedChatOptions) {
    this.#model = model;
    this.#cite = options.cite;
    this.#createdSeconds = options.createdSeconds;
    this.#form = options.form ?? SERVICE_FORM;
    this.#calls = new HostedChatCalls(options, this.#budget);
    this.#texts = new HostedChatTexts(options, this.#budget);
  }

  get delivered(): readonly string[] {
    if (this.#sent !== undefined) return this.#sent;
    // Text that a broken turn holds back is never sent.
    return [...this.#delivered.pieces(), ...this.finished ? this.#texts.heldBack : []];
  }

  get deliveredChars(): number {
    return this.#delivered.length;
  }

  get finished(): boolean {
    return this.#finishReason !== undefined;
  }

  get toolCalls(): readonly SignedToolCall[] {
    return this.#calls.ofTurn();
  }

  callerDisconnected(): void {
    this.#sent ??= this.delivered;
  }

  accept(text: string): string {
    if (this.#turnEnded) this.#beginTurn();
    const pattern = this.#pattern;
    const written = pattern && patternText(text, pattern.from);
    if (pattern !== undefined && written !== undefined) {
      const { from, to } = pattern;
      this.#texts.push(written, text.length);
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

  /** A clean end is valid with or without a finish reason. */
  upstreamEnded(): void {
    this.#finishReason ??= "stop";
  }

  endTurn(): EndedTurn {
    if (this.#turnEnded) this.#beginTurn();
    const events = this.#showCalls();
    this.#turnEnded = true;
    this.#reported.add(this.#reportedUsage);
    return endedTurn({
      ...this.#texts.endTurn(),
      opaque: this.#opaque.texts(),
      calls: this.toolCalls,
      finishReason: this.#finishReason,
    }, events);
  }

  answeredBy(model: string): void {
    this.#model = model;
  }

  limitReached(): void {
    this.#finishReason = "length";
    if (!this.#turnEnded) this.#reportedUsage = undefined;
  }

  /** Searches are sent at the end. */
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
    const { content, refusal, reasoning, logprobs, isHeld } = this.#texts;
    if (isHeld && (content !== "" || logprobs !== "null")) {
      yield this.#event(JSON.stringify({ content }), { logprobs });
    }
    if (!this.#hasRole) yield this.#event('{"content":""}');
    const cited = [...this.#texts.annotations, ...this.#cite?.(content) ?? []];
    const annotations = cited.map(chatAnnotation);
    if (annotations.length > 0) yield this.#event(JSON.stringify({ annotations }));
    const finishReason = this.#finish();
    const warnings = this.#warnings.lines;
    const head = {
      ...this.#headOf(),
      model: this.#model,
      usage: this.#reported.usageOf(end.usage),
      metadata: this.#metadataOf(end),
      // Those of a later turn have been in no chunk yet.
      ...(warnings.length === 0 ? {} : { upstream_warnings: warnings }),
    };
    yield this.#closing(head, finishReason);
    const all = listed([...warnings, ...this.#lost]);
    this.complete = completionText(all.length === 0 ? head : { ...head, upstream_warnings: all }, {
      content,
      refusal,
      reasoning,
      logprobs,
      annotations,
      opaque: this.#opaque.texts(),
      calls: this.#calls.shown(),
      finishReason,
    });
    yield SSE_DONE;
  }

  /** Sends one event with the error, and never a clean end. */
  failed(envelope: ErrorEnvelope): Iterable<string> {
    return [sseEvent(JSON.stringify({ ...envelope, choices: [] }))];
  }

  #beginTurn(): void {
    this.#turnEnded = false;
    this.#texts.beginTurn();
    this.#delivered = new CollectedText();
    this.#opaque = new OpaqueMembers();
    this.#calls.beginTurn();
    this.#warnings.beginTurn();
    this.#finishReason = undefined;
    this.usage = undefined;
    this.#reportedUsage = undefined;
    this.#pattern = undefined;
    this.#patternsLeft = PATTERNS_MAX;
  }

  /** Returns the chunk for the caller, or nothing where it has no content for it. */
  #shownChunk({ delta = {}, toolCalls, usage }: ChunkContent, text: string): string | undefined {
    const choice = firstChoiceText(text);
    const written = choice === undefined ? undefined : memberText(choice, "delta");
    if (choice === undefined || written === undefined) return undefined;
    this.#note(delta, text);
    const content = this.#texts.add(delta, text.length);
    const isScored = this.#score(choice);
    const callTexts = this.#calls.follow(
      toolCalls,
      elementTexts(memberText(written, "tool_calls")),
    );
    const edits = {
      ...this.#roleEdit(delta),
      ...contentEdit(delta, content),
      ...(delta["annotations"] === undefined ? {} : { annotations: undefined }),
      ...(toolCalls.length === 0
        ? {}
        : { tool_calls: callTexts.length === 0 ? undefined : `[${callTexts.join(",")}]` }),
    };
    const isScoreShown = isScored && !this.#texts.isHeld;
    const saysMore = callTexts.length > 0 || isScoreShown || hasContent({ ...delta, content });
    if (this.#hasRole && !saysMore) return undefined;
    this.#hasRole = true;
    const { id, created } = this.#headOf();
    const shown = editMembers(choice, {
      index: "0",
      delta: editMembers(written, edits),
      finish_reason: "null",
      ...(isScored && !isScoreShown ? { logprobs: "null" } : {}),
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

  /** The role is sent once. */
  #roleEdit(delta: Fields): MemberEdits {
    if (this.#hasRole) return { role: undefined };
    return typeof delta["role"] === "string" ? {} : { role: '"assistant"' };
  }

  /** Adds log probabilities; chunks that have them differ in more than their text. */
  #score(choice: string): boolean {
    const isScored = this.#texts.score(memberText(choice, "logprobs"));
    if (isScored) {
      this.#pattern = undefined;
      this.#patternsLeft = 0;
    }
    return isScored;
  }

  #note(delta: Fields, text: string): void {
    for (const line of lostOutput(delta)) this.#lost.add(line);
    this.#warnings.addLines(lostCitations(delta));
    // Counted where it is kept; everything else is counted by the code that sends it.
    collectText(besideText(delta), { push: (piece) => this.#budget.add(piece.length) });
    collectText(this.#texts.isHeld ? { ...delta, content: null } : delta, this.#delivered);
    if (!OPAQUE_MEMBERS.some((name) => text.includes(name))) return;
    const opaque = opaqueTexts(firstDeltaText(text) ?? "{}");
    if (opaque !== undefined) this.#opaque.add(opaque, this.#budget);
  }

  #noteHead({ id, created }: Fields): void {
    if (typeof id !== "string" || id === "") return;
    const isTime = typeof created === "number" && created > 0;
    this.#head ??= { id, created: isTime ? created : this.#createdSeconds };
  }

  /** Returns the common members, which no longer change once they were sent. */
  #headOf(): ChatHead {
    return this.#head ??= { id: "chatcmpl-empty", created: this.#createdSeconds };
  }

  #noteUsage(usage: unknown): void {
    const read = laterUsage(this.usage, readChatUsage(usage));
    if (read === this.usage) return;
    this.usage = read;
    this.#reportedUsage = usage;
  }

  /** A pattern is taken after the turn's first text, which may be preceded by a separator. */
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

  /** `more`: members of its choice, JSON texts. */
  #event(delta: string, more: Readonly<Record<string, string>> = {}): string {
    const written = this.#hasRole ? delta : editMembers(delta, { role: '"assistant"' });
    this.#hasRole = true;
    const head = { ...this.#headOf(), object: "chat.completion.chunk", model: this.#model };
    const choice = `{"index":0,"delta":${written},"finish_reason":null}`;
    return sseEvent(
      editMembers(JSON.stringify(head), { choices: `[${editMembers(choice, more)}]` }),
    );
  }

  /** Returns the finish reason; calls that were hidden from the caller do not count. */
  #finish(): string {
    const reason = this.#finishReason ?? "stop";
    if (CUT_REASONS.includes(reason)) return reason;
    if (this.#calls.hasShownInTurn) return "tool_calls";
    return reason === "tool_calls" ? "stop" : reason;
  }

  /** Returns the finish, with the usage and metadata of `head` where the form has them. */
  #closing(head: Readonly<Record<string, unknown>>, finishReason: string): string {
    const finish = { finish_reason: JSON.stringify(finishReason) };
    const { hasUsageChunk } = this.#form;
    const text = JSON.stringify({ ...head, object: "chat.completion.chunk" });
    const last = hasUsageChunk ? sseEvent(editMembers(text, { choices: "[]" })) : "";
    if (!endsByFinish(this.#form)) return this.#event("{}", finish) + last;
    const choices = `[${editMembers('{"index":0,"delta":{}}', finish)}]`;
    const usage = hasUsageChunk ? { usage: "null" } : {};
    return sseEvent(editMembers(text, { choices, ...usage })) + last;
  }

  #metadataOf({ metadata }: AnswerEnd): Readonly<Record<string, unknown>> {
    const hosted_tools = this.#searches.items();
    return metadataOf(
      this.#form,
      hosted_tools.length === 0 ? metadata : { ...metadata, hosted_tools },
    );
  }
}

/** Returns the edit of a delta's content, which is sent as `content`: nothing where it stays. */
function contentEdit(delta: Fields, content: string): MemberEdits {
  const original = contentOf(delta);
  if (original === content && (original === "" || delta["content"] === original)) return {};
  return { content: content === "" ? undefined : JSON.stringify(content) };
}
