import { isJsonObject } from "@svc/tools/json";
import type {
  AssistantMessage,
  ChatChoice,
  ChatCompletion,
  ChatCompletionChunk,
  ChunkChoice,
  FinishReason,
  ToolCall,
  ToolCallDelta,
} from "../protocol/mod.ts";
import { isReply } from "../run/tasks.ts";

type Fields = Record<string, unknown>;

interface Draft {
  readonly message: Fields;
  readonly calls: Fields[];
  readonly rest: Fields;
  finishReason: FinishReason | undefined;
}

/** Fields that a piece carries whole: a later value replaces an earlier one. */
const WHOLE: ReadonlySet<string> = new Set(["id", "role", "type", "index", "thought_signature"]);

/**
 * Provider extension without a known shape: objects in it are merged, everything else is replaced.
 */
const OPAQUE = "extra_content";

/** Fields of a chunk, a choice and a delta that are not merged one by one. */
const NOT_MERGED = {
  chunk: { except: new Set(["choices", "object", "orchestration"]) },
  choice: { except: new Set(["index", "delta", "finish_reason"]) },
  delta: { except: new Set(["tool_calls"]) },
} as const;

/** Merges the chunks of one streamed answer into its completion. */
export class ChunkMerger {
  readonly #drafts = new Map<number, Draft>();
  readonly #head: Fields = {};

  /** Adds the next chunk. Chunks of an orchestrated request's other tasks are ignored. */
  add(chunk: ChatCompletionChunk): void {
    const { choices, orchestration } = chunk;
    for (const name of Object.keys(chunk)) {
      const value = chunk[name];
      if (NOT_MERGED.chunk.except.has(name) || isSilent(value, this.#head[name])) continue;
      if (value !== null) this.#head[name] = value;
    }
    if (isJsonObject(orchestration) && "tasks" in orchestration) {
      const { task_id: _, ...breakdown } = orchestration;
      this.#head["orchestration"] = breakdown;
    }
    if (isReply(chunk)) { for (const choice of choices) this.#addChoice(choice); }
  }

  /** Returns the complete tool calls of a choice so far. */
  toolCalls(index: number): readonly ToolCall[] {
    return (this.#drafts.get(index)?.calls ?? []).map(toolCall);
  }

  /** Returns the completion; `undefined` until every choice has ended. */
  completion(): ChatCompletion | undefined {
    const choices: ChatChoice[] = [];
    for (const [index, draft] of [...this.#drafts].sort(([a], [b]) => a - b)) {
      const { finishReason, message, rest } = draft;
      if (finishReason === undefined) return undefined;
      const calls = this.toolCalls(index);
      choices.push({
        logprobs: null,
        ...rest,
        index,
        message: {
          content: null,
          refusal: null,
          ...message,
          role: "assistant",
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        } as AssistantMessage,
        finish_reason: finishReason,
      });
    }
    if (choices.length === 0) return undefined;
    return { ...this.#head, object: "chat.completion", choices } as ChatCompletion;
  }

  #addChoice(choice: ChunkChoice): void {
    const { index = 0, delta, finish_reason } = choice;
    let draft = this.#drafts.get(index);
    if (draft === undefined) {
      draft = { message: {}, calls: [], rest: {}, finishReason: undefined };
      this.#drafts.set(index, draft);
    }
    mergeFields(draft.message, delta ?? {}, NOT_MERGED.delta);
    mergeFields(draft.rest, choice, NOT_MERGED.choice);
    const pieces: readonly Partial<ToolCallDelta>[] = delta?.tool_calls ?? [];
    for (const [position, piece] of pieces.entries()) {
      const call = callOf(draft.calls, piece, { position, isAlone: pieces.length === 1 });
      mergeFields(call, isNameRepeated(call, piece) ? nameless(piece) : piece);
    }
    // An empty finish reason counts as absent.
    draft.finishReason = finish_reason || draft.finishReason;
  }
}

function toolCall({ index: _, function: named, ...call }: Fields): ToolCall {
  const whole = { id: "", type: "function", ...call };
  // The call of a custom tool has no function.
  if (named === undefined && whole.type !== "function") return whole as unknown as ToolCall;
  return { ...whole, function: { name: "", arguments: "", ...named as Fields } } as ToolCall;
}

/**
 * Returns the call that a piece belongs to: by its index, else by its id, else by its position in
 * the chunk, which for a lone piece is the last call. Without index and id, a name begins the next
 * call once the arguments of this one have begun.
 */
function callOf(
  calls: Fields[],
  { id, index, function: named }: Partial<ToolCallDelta>,
  { position, isAlone }: { readonly position: number; readonly isAlone: boolean },
): Fields {
  const isIts = (call: Fields) => !id || !call["id"] || call["id"] === id;
  let match: Fields | undefined;
  if (typeof index === "number") {
    // Some upstreams number every call 0: another id, or without ids another name, is another call,
    // and the last one continues.
    match = calls.findLast((call) => call["index"] === index && isIts(call));
    const isOther = match !== undefined && namedOf(match).name !== named?.name;
    if (!id && isOther && isNamedLate(match, named)) match = undefined;
  } else if (id) {
    match = calls.findLast((call) => call["id"] === id);
  } else {
    match = isAlone ? calls.at(-1) : calls[position];
    if (isNamedLate(match, named)) match = undefined;
  }
  if (match !== undefined) return match;
  const call: Fields = {};
  calls.push(call);
  return call;
}

/** True for a piece with a name although the arguments of the call have begun. */
function isNamedLate(call: Fields | undefined, named: ToolCallDelta["function"]): boolean {
  return call !== undefined && Boolean(named?.name && namedOf(call).arguments);
}

/**
 * True for a piece that repeats the call's whole name, as some upstreams do on each piece of
 * arguments.
 */
function isNameRepeated(call: Fields, { id, function: named }: Partial<ToolCallDelta>): boolean {
  const { name, arguments: text } = namedOf(call);
  if (!named?.name || named.name !== name) return false;
  return Boolean(text || named.arguments || id);
}

function nameless(piece: Partial<ToolCallDelta>): Fields {
  const { name: _, ...named } = piece.function ?? {};
  return { ...piece, function: named };
}

function namedOf(call: Fields): Fields {
  return isJsonObject(call["function"]) ? call["function"] : {};
}

interface MergeOptions {
  /** Fields to leave out. */
  readonly except?: ReadonlySet<string>;
  /** True: texts and lists are replaced, too. */
  readonly isOpaque?: boolean;
}

/** Merges objects, joins texts, appends lists; everything else is replaced. */
function mergeFields(
  into: Fields,
  piece: Fields,
  { except, isOpaque = false }: MergeOptions = {},
): void {
  for (const name of Object.keys(piece)) {
    const value = piece[name];
    // A field may have a name of `Object.prototype`.
    const before = Object.hasOwn(into, name) ? into[name] : undefined;
    if (except?.has(name) || isSilent(value, before)) continue;
    const isReplaced = WHOLE.has(name) || isOpaque && !isJsonObject(value);
    const after = isReplaced ? value : merged(before, value, isOpaque || name === OPAQUE);
    if (name !== "__proto__") into[name] = after;
    else {
      const own = { configurable: true, enumerable: true, writable: true };
      Object.defineProperty(into, name, { ...own, value: after });
    }
  }
}

/**
 * True for a field that adds nothing: some upstreams repeat finished fields with an empty value.
 */
function isSilent(value: unknown, before: unknown): boolean {
  return value === undefined || before !== undefined && (value === null || value === "");
}

function merged(before: unknown, value: unknown, isOpaque: boolean): unknown {
  if (typeof before === "string" && typeof value === "string") return before + value;
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value];
  if (!isJsonObject(value)) return value;
  // Never the piece's own object: that belongs to the reader.
  const into: Fields = isJsonObject(before) ? before : {};
  mergeFields(into, value, { isOpaque });
  return into;
}
