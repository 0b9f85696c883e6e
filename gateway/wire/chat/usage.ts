import type { ChatUsage } from "@svc/sdk/protocol";
import type { Usage } from "../../domain/ledger/pricing.ts";

type Fields = Readonly<Record<string, unknown>>;

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function countOf(value: unknown): number {
  return isCount(value) ? value : 0;
}

/** Names that providers have for input read from a cache, besides `prompt_tokens_details`. */
const CACHED = ["prompt_cache_hit_tokens", "cached_tokens", "cached_prompt_text_tokens"] as const;

/** Members of reports that only Perplexity writes, and xAI's own interface. */
const REASONING_APART = ["citation_tokens", "num_search_queries", "cached_prompt_text_tokens"];

/**
 * Reads usage as Chat Completions reports it; `undefined` where it is absent, or its totals are no
 * numbers. Impossible numbers are returned as they are: `impossibleUsage()` judges them. An
 * impossible detail is left out.
 */
export function readChatUsage(usage: unknown): Usage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  const { prompt_tokens: inputTokens, completion_tokens, prompt_tokens_details } = usage as Partial<
    ChatUsage
  >;
  if (typeof inputTokens !== "number" || typeof completion_tokens !== "number") return undefined;
  const outputTokens = isCount(completion_tokens) && isCount(inputTokens)
    ? allOutput(completion_tokens, inputTokens, usage)
    : completion_tokens;
  const details = prompt_tokens_details ?? undefined;
  const cachedInputTokens = Math.min(cachedIn(usage), inputTokens);
  const read = { inputTokens, cachedInputTokens, outputTokens };
  const written = cacheWritesOf(details, inputTokens - cachedInputTokens);
  return written === 0 ? read : { ...read, cacheWriteInputTokens: written };
}

/**
 * Returns all output that is paid for: some providers report reasoning outside the completion,
 * where only the total includes it (xAI), or not even that (Perplexity, which adds citations). The
 * rules are those of `@pydantic/genai-prices`; a test compares them with its table.
 */
function allOutput(completion: number, input: number, usage: object): number {
  const { total_tokens, completion_tokens_details, ...others } = usage as
    & Partial<ChatUsage>
    & Fields;
  const isApart = REASONING_APART.some((name) => isCount(others[name]));
  const apart = isApart
    ? countOf(others["citation_tokens"]) + countOf(others["reasoning_tokens"])
    : 0;
  if (typeof total_tokens === "number") return Math.max(completion + apart, total_tokens - input);
  const reasoning = countOf(completion_tokens_details?.reasoning_tokens);
  return completion + Math.max(apart, reasoning > completion ? reasoning : 0);
}

/** Returns the input read from a cache, under any name that a report may have for it. */
export function cachedIn(usage: object): number {
  const { prompt_tokens_details: details, ...others } = usage as Partial<ChatUsage> & Fields;
  return Math.max(countOf(details?.cached_tokens), ...CACHED.map((name) => countOf(others[name])));
}

/** Writes counted tokens in the shape of Chat Completions. */
export function chatUsageOf(usage: Usage): ChatUsage {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInputTokens,
      ...(usage.cacheWriteInputTokens === undefined
        ? {}
        : { cache_write_tokens: usage.cacheWriteInputTokens }),
    },
  };
}

/**
 * Returns the tokens written into the cache: `cache_write_tokens` is OpenAI's and OpenRouter's name
 * for them, `cache_creation_tokens` that of a proxy in front of Claude.
 */
function cacheWritesOf(details: ChatUsage["prompt_tokens_details"], most: number): number {
  const written = details?.cache_write_tokens ?? details?.["cache_creation_tokens"];
  return isCount(written) ? Math.min(written, most) : 0;
}

/**
 * Returns the usage that replaces the upstream's own in an answer: `undefined` where that was
 * billed, or where nothing was reported.
 */
export function correctedChatUsage(reported: unknown, billed: Usage): ChatUsage | undefined {
  if (reported === undefined || reported === null) return undefined;
  const read = readChatUsage(reported);
  return read !== undefined && isSameUsage(read, billed) ? undefined : chatUsageOf(billed);
}

/**
 * Returns the report that counts of two: the later one, unless it has no numbers, or no counts
 * after counts.
 */
export function laterUsage(known: Usage | undefined, read: Usage | undefined): Usage | undefined {
  if (known === undefined || read === undefined) return read ?? known;
  return isCount(read.inputTokens) && isCount(read.outputTokens) ? read : known;
}

/** True when usage was billed as reported; otherwise it was counted in another way. */
export function isSameUsage(reported: Usage, billed: Usage): boolean {
  return reported.inputTokens === billed.inputTokens &&
    reported.outputTokens === billed.outputTokens;
}

/** Details of several usage reports, which counts do not have. */
export class UsageSum {
  #reasoningTokens: number | undefined;

  /** Adds a report of Chat Completions; ignores other values. */
  add(usage: unknown): void {
    if (readChatUsage(usage) === undefined) return;
    const { completion_tokens_details } = usage as Partial<ChatUsage>;
    const reasoning = completion_tokens_details?.reasoning_tokens;
    if (isCount(reasoning)) this.#reasoningTokens = (this.#reasoningTokens ?? 0) + reasoning;
  }

  /** Returns the counts, with the reported details. */
  usageOf(counted: Usage): ChatUsage {
    const usage = chatUsageOf(counted);
    if (this.#reasoningTokens === undefined) return usage;
    const reasoning_tokens = Math.min(this.#reasoningTokens, counted.outputTokens);
    return { ...usage, completion_tokens_details: { reasoning_tokens } };
  }
}
