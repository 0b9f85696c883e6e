/**
 * Chat chunks as those read them who tell them anew: the first choice alone.
 *
 * @module
 */

import { isJsonObject, type ToolCallDelta } from "@svc/sdk/protocol";
import { UpstreamCut } from "../../ports/upstream.ts";
import { elementTexts, memberText } from "../json/text.ts";

/** Fields that nobody has looked at yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** What a chunk brings. */
export interface ChunkContent {
  /** All of it. */
  readonly value: Fields;
  readonly usage: unknown;
  /** Of the first choice; absent where the chunk carries none. */
  readonly delta: Fields | undefined;
  readonly finishReason: string | undefined;
  /** Of the first choice's tokens. */
  readonly logprobs: unknown;
  /** Of the delta. */
  readonly toolCalls: readonly Partial<ToolCallDelta>[];
}

/** Parses a chunk. Throws an {@linkcode UpstreamCut} where it is an error or no chunk at all. */
export function readChunk(text: string): ChunkContent {
  const chunk = parsed(text);
  if ((chunk["error"] ?? null) !== null) {
    throw new UpstreamCut("server_error", "The upstream reported an error in mid-stream");
  }
  const choices = chunk["choices"] ?? [];
  if (!Array.isArray(choices) || !choices.every(isJsonObject)) throw malformed("a chat chunk");
  const choice = choices.find(({ index }) => (index ?? 0) === 0);
  const delta = choice?.["delta"] ?? undefined;
  if (delta !== undefined && !isJsonObject(delta)) throw malformed("a chat chunk");
  const toolCalls = delta?.["tool_calls"] ?? [];
  if (!Array.isArray(toolCalls) || !toolCalls.every(isJsonObject)) throw malformed("a chat chunk");
  const finish = choice?.["finish_reason"];
  return {
    value: { ...chunk, choices },
    usage: chunk["usage"],
    delta,
    // Some upstreams write an empty one into every chunk.
    finishReason: typeof finish === "string" && finish !== "" ? finish : undefined,
    logprobs: choice?.["logprobs"],
    toolCalls,
  };
}

/** The text of a chunk's first choice. */
export function firstChoiceText(chunk: string): string | undefined {
  return elementTexts(memberText(chunk, "choices"))
    .find((choice) => Number(memberText(choice, "index") ?? 0) === 0);
}

/** The text of the first choice's delta; `undefined` where it is no object. */
export function firstDeltaText(chunk: string): string | undefined {
  const choice = firstChoiceText(chunk);
  const delta = choice === undefined ? undefined : memberText(choice, "delta");
  return delta?.startsWith("{") === true ? delta : undefined;
}

/** An upstream's event as an object. */
export function parsed(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UpstreamCut("malformed", "The upstream sent an event that is not JSON", { cause });
  }
  if (!isJsonObject(value)) throw malformed("an object");
  return value;
}

function malformed(what: string): UpstreamCut {
  return new UpstreamCut("malformed", `The upstream sent an event that is not ${what}`);
}
