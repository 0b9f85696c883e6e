/**
 * Relays the chunks of one streamed chat answer from an upstream to the caller.
 *
 * A chunk keeps its bytes, except for the model's name and three things that clients rely on and
 * some upstreams leave out: a role first, an index on every tool call, one finish for each choice.
 * In the dialect `openai` finishes are held back for the end, where the last of them carries the
 * usage and the metadata.
 *
 * @module
 */

import type { ChatCompletionChunk, ChunkChoice, ToolCallDelta } from "@svc/sdk/protocol";
import type { ObservedAnswer } from "../../domain/learning/answer_check.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { SignedToolCall } from "../answer_relay.ts";
import {
  type ChatClosing,
  closingChunks,
  endsByFinish,
  isBareFinish,
  isFinish,
} from "./closing.ts";
import { type ChatForm, SERVICE_FORM } from "./form.ts";
import { collectText } from "./text.ts";
import { applyFixes, type ChoiceFix } from "./chunk_fixes.ts";
import { DeliveredText } from "../text/delivered_text.ts";
import { CollectedText } from "../text/collected_text.ts";
import { editMembers, elements, members } from "../json/text.ts";
import { CharBudget, ITEM_CHARS } from "../text/char_budget.ts";
import { ObservedStream } from "./observed.ts";
import { OpaqueMembers } from "./opaque_members.ts";
import { parseChunk } from "./parse_chunk.ts";
import { patternText, type TextChunkPattern, textChunkPattern } from "./text_chunk.ts";
import { ToolCallIndexes } from "./tool_call_indexes.ts";
import { addedName, OPAQUE_MEMBERS, opaqueTexts } from "./tool_calls.ts";
import { isSameUsage, laterUsage, readChatUsage } from "./usage.ts";

/** A tool call while its pieces arrive. */
interface GrowingCall {
  id: string;
  name: string;
  readonly input: CollectedText;
  readonly opaque: OpaqueMembers;
}

interface ChoiceState {
  hasRole: boolean;
  finished: boolean;
  /** Its finish, if it must be sent separately from the chunk that had it. */
  owed?: string;
  /** Calls in order of their first delta. */
  readonly calls: GrowingCall[];
  readonly indexes: ToolCallIndexes;
}

/** Options of {@linkcode ChatChunkRelay}. */
export interface ChatRelayOptions {
  /** See {@linkcode DeliveredText}. */
  readonly maxTokens?: number | undefined;
  /** @default {SERVICE_FORM} */
  readonly form?: ChatForm | undefined;
  /** True where the text of the answer is checked at its end. @default {false} */
  readonly keepsText?: boolean | undefined;
}

/** Maximum number of chunks that are examined for a pattern: some streams have none. */
const PATTERNS_MAX = 8;

/** A choice without content. */
const NO_DELTA = {
  choices: '[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]',
};

/** Relays the chunks of one streamed chat answer. */
export class ChatChunkRelay {
  /** Usage as last reported. */
  usage: Usage | undefined;
  readonly #model: string;
  readonly #form: ChatForm;
  readonly #delivered: DeliveredText;
  readonly #observed: ObservedStream;
  /** Chunks with only a finish, held back for the end. */
  readonly #finishes: string[] = [];
  readonly #choices = new Map<number, ChoiceState>();
  /** Counts calls, which are kept for their signatures. */
  readonly #budget = new CharBudget();
  #head: { id: string; created: number } | undefined;
  #usageText: string | undefined;
  #usageChunk: string | undefined;
  /** True once any choice has its finish. */
  #hasFinish = false;
  #limitReached = false;
  // Chunks of one stream start alike: the part up to the model's name is edited once.
  #prefix = "";
  #editedPrefix = "";
  #pattern: TextChunkPattern | undefined;
  /** True when chunks of the pattern begin with that part. */
  #isPatternNamed = false;
  #patternsLeft = PATTERNS_MAX;

  /** `model` is the catalog id that callers see. */
  constructor(model: string, options: ChatRelayOptions = {}) {
    const { form = SERVICE_FORM, maxTokens, keepsText = false } = options;
    this.#model = JSON.stringify(model);
    this.#form = form;
    this.#delivered = new DeliveredText(maxTokens);
    this.#observed = new ObservedStream(keepsText);
  }

  /** True when every choice that began has its finish. */
  get finished(): boolean {
    if (!this.#hasFinish) return false;
    for (const choice of this.#choices.values()) if (!choice.finished) return false;
    return true;
  }

  /** Delivered text, in pieces. */
  get delivered(): readonly string[] {
    return this.#delivered.pieces();
  }

  /** Length of that text in UTF-16 code units. */
  get deliveredChars(): number {
    return this.#delivered.length;
  }

  /** See {@linkcode DeliveredText}. */
  get usedUpBy(): number | undefined {
    return this.#delivered.usedUpBy;
  }

  /** Stops counting text as delivered. */
  callerDisconnected(): void {
    this.#delivered.end();
  }

  /**
   * Marks choices without a finish as ended by `length`; usage that was reported before no longer
   * holds.
   */
  limitReached(): void {
    this.#limitReached = true;
    this.#usageText = undefined;
    this.#usageChunk = undefined;
  }

  /** Tool calls of all choices, so far. */
  get toolCalls(): readonly SignedToolCall[] {
    return [...this.#choices.values()].flatMap((choice) => choice.calls).map(
      ({ id, name, input, opaque }) => ({
        id,
        name,
        arguments: input.text(),
        opaque: opaque.texts(),
      }),
    );
  }

  /** Returns the complete answer, to be checked. */
  observed(): ObservedAnswer | undefined {
    return this.#observed.answer(this.toolCalls, { isLimited: this.#limitReached });
  }

  /**
   * Takes one event's JSON text and returns the text to forward, or `undefined` where it is held
   * back for the end. Throws an {@linkcode UpstreamCut} for an error or a malformed chunk.
   */
  accept(text: string): string | undefined {
    const written = this.#pattern && patternText(text, this.#pattern);
    if (written !== undefined) {
      this.#delivered.push(written, text.length);
      this.#observed.push(written, text.length);
      return this.#named(text, this.#isPatternNamed);
    }
    const chunk = parseChunk(text);
    this.#head ??= { id: chunk.id, created: chunk.created };
    if (typeof chunk.usage === "object" && chunk.usage !== null) this.#noteUsage(text, chunk);
    if (chunk.choices.length === 0) {
      if (chunk.usage === undefined || chunk.usage === null) {
        // Clients that read the first choice of every chunk must find one.
        return this.#named(endsByFinish(this.#form) ? editMembers(text, NO_DELTA) : text);
      }
      this.#usageChunk = text;
      return undefined;
    }
    const isHeld = this.#isHeld(chunk.choices);
    const fixes = chunk.choices.map((choice) => this.#follow(choice, isHeld));
    // Some clients add up the usage of all chunks, so it is sent once, at the end.
    const isCounted = endsByFinish(this.#form) && Boolean(chunk.usage);
    const named = this.#named(isCounted ? editMembers(text, { usage: "null" }) : text);
    const fixed = fixes.some((fix) => fix !== undefined) ? applyFixes(named, fixes) : named;
    const hasCalls = chunk.choices.some(({ delta }) => (delta?.tool_calls?.length ?? 0) > 0);
    if (hasCalls && OPAQUE_MEMBERS.some((name) => text.includes(name))) this.#noteOpaque(fixed);
    if (fixed === named && this.#patternsLeft > 0) {
      this.#patternsLeft -= 1;
      this.#pattern = textChunkPattern(text, chunk) ?? this.#pattern;
      this.#comparePattern();
    }
    if (!isHeld || fixes.every((fix) => fix?.dropFinish === true)) return fixed;
    this.#finishes.push(fixed);
    return undefined;
  }

  /** Returns the chunks of a clean end. */
  closing(end: ChatClosing): string[] {
    const isReported = this.usage !== undefined && isSameUsage(this.usage, end.usage);
    return closingChunks(this.#form, {
      ...end,
      finishes: [...this.#finishes, ...this.#missingFinishes(end.createdSeconds)],
      usageChunk: this.#usageChunk,
      usageText: isReported ? this.#usageText : undefined,
      model: this.#model,
      chunk: () => this.#chunk(end.createdSeconds, { choices: [] }),
    });
  }

  /** True when a chunk only ends its choices, and so can wait for the end. */
  #isHeld(choices: readonly ChunkChoice[]): boolean {
    return endsByFinish(this.#form) &&
      choices.every((choice) =>
        this.#choices.get(choice.index)?.hasRole === true && isBareFinish(choice)
      );
  }

  /** Returns a finish for every choice that has sent none. */
  #missingFinishes(createdSeconds: number): string[] {
    if (this.#choices.size === 0) this.#choices.set(0, newChoice());
    const owed: string[] = [];
    for (const [index, state] of this.#choices) {
      if (state.finished && state.owed === undefined) continue;
      state.finished = this.#hasFinish = true;
      const delta = state.hasRole ? {} : { role: "assistant", content: "" };
      const ended = state.calls.length > 0 ? "tool_calls" : "stop";
      const finish = state.owed ?? (this.#limitReached ? "length" : ended);
      owed.push(
        this.#chunk(createdSeconds, { choices: [{ index, delta, finish_reason: finish }] }),
      );
    }
    return owed;
  }

  #chunk(createdSeconds: number, fields: Readonly<Record<string, unknown>>): string {
    return editMembers(
      JSON.stringify({
        id: this.#head?.id ?? "chatcmpl-empty",
        object: "chat.completion.chunk",
        created: this.#head?.created ?? createdSeconds,
        model: "",
        ...fields,
      }),
      { model: this.#model },
    );
  }

  #noteUsage(text: string, chunk: ChatCompletionChunk): void {
    const usage = laterUsage(this.usage, readChatUsage(chunk.usage));
    if (usage === this.usage) return;
    this.usage = usage;
    const member = members(text).findLast((candidate) => candidate.key === "usage");
    if (member !== undefined) this.#usageText = text.slice(member.valueStart, member.valueEnd);
  }

  #named(text: string, isKnown = false): string {
    if (isKnown || (this.#prefix !== "" && text.startsWith(this.#prefix))) {
      return this.#editedPrefix + text.slice(this.#prefix.length);
    }
    const names = members(text).filter((member) => member.key === "model");
    const [model] = names;
    if (model === undefined || names.length > 1) return editMembers(text, { model: this.#model });
    this.#prefix = text.slice(0, model.valueEnd);
    this.#editedPrefix = text.slice(0, model.valueStart) + this.#model;
    this.#comparePattern();
    return this.#editedPrefix + text.slice(model.valueEnd);
  }

  #comparePattern(): void {
    this.#isPatternNamed = this.#prefix !== "" &&
      this.#pattern?.before.startsWith(this.#prefix) === true;
  }

  /** `isHeld`: the chunk waits for the end, with its finish. */
  #follow(choice: ChunkChoice, isHeld: boolean): ChoiceFix | undefined {
    let state = this.#choices.get(choice.index);
    if (state === undefined) this.#choices.set(choice.index, state = newChoice());
    this.#observed.note(choice);
    const delta = choice.delta;
    if (delta !== undefined && delta !== null) collectText(delta, this.#delivered);
    const addRole = !state.hasRole && typeof delta?.role !== "string";
    state.hasRole = true;
    const finish = choice.finish_reason;
    const finishes = isFinish(finish);
    const isApart = finishes && !state.finished && endsByFinish(this.#form) && !isHeld;
    if (isApart) state.owed = finish;
    const dropFinish = typeof finish === "string" && (!finishes || state.finished || isApart);
    if (finishes) state.finished = this.#hasFinish = true;
    const toolIndexes = delta?.tool_calls?.length
      ? followCalls(state, delta.tool_calls, this.#budget)
      : undefined;
    if (!addRole && !dropFinish && toolIndexes === undefined) return undefined;
    return { addRole, dropFinish, toolIndexes };
  }

  /** Keeps the bytes of opaque members; `text` has the corrected indexes already. */
  #noteOpaque(text: string): void {
    eachChoice(text, (choiceIndex, delta) => {
      const calls = delta.find((member) => member.key === "tool_calls");
      const state = this.#choices.get(choiceIndex);
      if (calls === undefined || state === undefined) return;
      for (const call of elements(text, calls.valueStart)) {
        const fields = members(text, call.start);
        const index = fields.findLast((member) => member.key === "index");
        const target = index === undefined
          ? undefined
          : state.calls[Number(text.slice(index.valueStart, index.valueEnd))];
        const opaque = opaqueTexts(text.slice(call.start, call.end));
        if (target !== undefined && opaque !== undefined) target.opaque.add(opaque, this.#budget);
      }
    });
  }
}

function newChoice(): ChoiceState {
  return { hasRole: false, finished: false, calls: [], indexes: new ToolCallIndexes() };
}

/** Returns the index of each delta's call, or `undefined` where every delta has the right one. */
function followCalls(
  state: ChoiceState,
  deltas: readonly Partial<ToolCallDelta>[],
  budget: CharBudget,
): readonly number[] | undefined {
  const indexes = state.indexes.of(deltas);
  for (const [at, delta] of deltas.entries()) {
    const index = indexes[at] ?? at;
    let call = state.calls[index];
    if (call === undefined) {
      budget.add(ITEM_CHARS);
      state.calls.push(call = newCall());
    }
    if (typeof delta.id === "string" && delta.id !== "") call.id = delta.id;
    const { name: piece, arguments: input } = delta.function ?? {};
    const name = addedName(call.name, piece);
    budget.add(name.length);
    call.name += name;
    if (typeof input === "string") {
      budget.add(input.length);
      call.input.push(input);
    }
  }
  return indexes.every((index, at) => deltas[at]?.index === index) ? undefined : indexes;
}

function newCall(): GrowingCall {
  return { id: "", name: "", input: new CollectedText(), opaque: new OpaqueMembers() };
}

/** Visits each choice of a chunk: its index and the members of its delta. */
function eachChoice(
  text: string,
  visit: (index: number, delta: ReturnType<typeof members>) => void,
): void {
  const choices = members(text).findLast((member) => member.key === "choices");
  if (choices === undefined) return;
  for (const choice of elements(text, choices.valueStart)) {
    const fields = members(text, choice.start);
    const index = fields.findLast((member) => member.key === "index");
    const delta = fields.findLast((member) => member.key === "delta");
    if (index === undefined || delta === undefined || text[delta.valueStart] !== "{") continue;
    visit(Number(text.slice(index.valueStart, index.valueEnd)), members(text, delta.valueStart));
  }
}
