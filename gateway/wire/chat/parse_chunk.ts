import { type ChatCompletionChunk, type ChunkChoice, isJsonObject } from "@svc/sdk/protocol";
import { UpstreamCut } from "../../ports/upstream.ts";

/** Parses one event of a chat stream. Throws an {@linkcode UpstreamCut} for anything but a chunk. */
export function parseChunk(text: string): ChatCompletionChunk {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UpstreamCut("malformed", "The upstream sent an event that is not JSON", { cause });
  }
  if (!isJsonObject(value)) {
    throw new UpstreamCut("malformed", "The upstream sent an event that is not an object");
  }
  if ("error" in value && value["error"] !== null) {
    throw new UpstreamCut("server_error", "The upstream reported an error in mid-stream");
  }
  const chunk = value as ChatCompletionChunk;
  if (chunk.choices === undefined || chunk.choices === null) return { ...chunk, choices: [] };
  if (!Array.isArray(chunk.choices) || chunk.choices.some((choice) => !isChoice(choice))) {
    throw new UpstreamCut("malformed", "The upstream sent an event that is not a chat chunk");
  }
  return chunk;
}

function isChoice(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { index, delta } = value as Partial<ChunkChoice>;
  return typeof index === "number" && (delta === undefined || delta === null || isDelta(delta));
}

function isDelta(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const calls = (value as { tool_calls?: unknown }).tool_calls;
  return calls === undefined || calls === null ||
    (Array.isArray(calls) && calls.every((call) => typeof call === "object" && call !== null));
}
