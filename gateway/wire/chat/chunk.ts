/**
 * Chat chunks as the relays that rewrite them read them: the first choice alone.
 *
 * @module
 */

import { isJsonObject, type ToolCallDelta } from "@svc/sdk/protocol";
import { UpstreamCut } from "../../ports/upstream.ts";
import { elementTexts, memberText } from "../json/text.ts";

/** Fields that are not checked yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Content of a chunk. */
export interface ChunkContent {
  /** The whole chunk. */
  readonly value: Fields;
  readonly usage: unknown;
  /** Delta of the first choice; absent where the chunk has none. */
  readonly delta: Fields | undefined;
  readonly finishReason: string | undefined;
  /** Log probabilities of the first choice. */
  readonly logprobs: unknown;
  /** Tool calls of the delta. */
  readonly toolCalls: readonly Partial<ToolCallDelta>[];
}

/** Parses a chunk. Throws an {@linkcode UpstreamCut} for an error or a malformed chunk. */
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

/** Returns the JSON text of a chunk's first choice. */
export function firstChoiceText(chunk: string): string | undefined {
  return elementTexts(memberText(chunk, "choices"))
    .find((choice) => Number(memberText(choice, "index") ?? 0) === 0);
}

/** Returns the JSON text of the first choice's delta; `undefined` where it is no object. */
export function firstDeltaText(chunk: string): string | undefined {
  const choice = firstChoiceText(chunk);
  const delta = choice === undefined ? undefined : memberText(choice, "delta");
  return delta?.startsWith("{") === true ? delta : undefined;
}

/** Parses an upstream's event as an object. */
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
