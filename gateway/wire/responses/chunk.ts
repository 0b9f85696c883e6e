/**
 * Chat chunks as a stream of Responses reads them: the first choice, and which call a delta is of.
 *
 * @module
 */

import type { ToolCallDelta } from "@svc/sdk/protocol";
import { UpstreamCut } from "../../ports/upstream.ts";

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
  if (!Array.isArray(choices) || !choices.every(isRecord)) throw malformed("a chat chunk");
  const choice = choices.find(({ index }) => (index ?? 0) === 0);
  const delta = choice?.["delta"] ?? undefined;
  if (delta !== undefined && !isRecord(delta)) throw malformed("a chat chunk");
  const toolCalls = delta?.["tool_calls"] ?? [];
  if (!Array.isArray(toolCalls) || !toolCalls.every(isRecord)) throw malformed("a chat chunk");
  const finish = choice?.["finish_reason"];
  return {
    value: { ...chunk, choices },
    usage: chunk["usage"],
    delta,
    finishReason: typeof finish === "string" ? finish : undefined,
    toolCalls,
  };
}

/** An upstream's event as an object. */
export function parsed(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UpstreamCut("malformed", "The upstream sent an event that is not JSON", { cause });
  }
  if (!isRecord(value)) throw malformed("an object");
  return value;
}

/** Says which tool call a delta belongs to: by id, else by index, else the last one. */
export class ToolCallIndexes {
  readonly #known = new Map<string, number>();
  /** Calls whose id has come. */
  readonly #identified = new Set<number>();
  #count = 0;
  #last: number | undefined;

  /** The call's place among the calls, from 0, in order of their first deltas. */
  of(delta: Partial<ToolCallDelta>): number {
    const id = typeof delta.id === "string" && delta.id !== "" ? `id ${delta.id}` : undefined;
    const given = typeof delta.index === "number" ? `index ${delta.index}` : undefined;
    const index = this.#find(id, given) ?? this.#count++;
    if (given !== undefined) this.#known.set(given, index);
    if (id !== undefined) {
      this.#known.set(id, index);
      this.#identified.add(index);
    }
    return this.#last = index;
  }

  #find(id: string | undefined, given: string | undefined): number | undefined {
    const byId = id === undefined ? undefined : this.#known.get(id);
    if (byId !== undefined) return byId;
    if (given === undefined) return id === undefined ? this.#last : undefined;
    const byIndex = this.#known.get(given);
    // A new id under a known index is another call: some upstreams send every call as index 0.
    const isOther = id !== undefined && byIndex !== undefined && this.#identified.has(byIndex);
    return isOther ? undefined : byIndex;
  }
}

/** Two readings of an opaque member: the later one is merged into the earlier, never appended. */
export function mergedOpaque(earlier: string | undefined, later: string): string {
  if (earlier === undefined || earlier === later) return later;
  return JSON.stringify(merged(JSON.parse(earlier), JSON.parse(later)));
}

function merged(earlier: unknown, later: unknown): unknown {
  if (!isRecord(earlier) || !isRecord(later)) return later;
  const result = new Map(Object.entries(earlier));
  for (const [key, value] of Object.entries(later)) result.set(key, merged(result.get(key), value));
  return Object.fromEntries(result);
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function malformed(what: string): UpstreamCut {
  return new UpstreamCut("malformed", `The upstream sent an event that is not ${what}`);
}
