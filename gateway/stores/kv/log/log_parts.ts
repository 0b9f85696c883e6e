import type { RolledPart } from "../../../domain/requests/rollup.ts";

/** Model, micros, input, cached and output tokens, milliseconds. */
export type PartJson = readonly [string, number, number, number, number, number];

/** Encodes a part of a request for a block of the log. */
export function partJson(part: RolledPart): PartJson {
  const { model, charged, inputTokens, cachedInputTokens, outputTokens, durationMs } = part;
  return [model, Number(charged), inputTokens, cachedInputTokens, outputTokens, durationMs];
}

/** Decodes the result of {@linkcode partJson}. */
export function readPart(json: PartJson): RolledPart {
  const [model, charged, inputTokens, cachedInputTokens, outputTokens, durationMs] = json;
  return {
    model,
    charged: BigInt(charged),
    inputTokens,
    cachedInputTokens,
    outputTokens,
    durationMs,
  };
}
