import type { RolledPart } from "../../../domain/requests/rollup.ts";

/** Model, micro-credits, tokens in, cached and out, milliseconds. */
export type PartJson = readonly [string, number, number, number, number, number];

/** Writes a part of a request down, as a block of the log keeps it. */
export function partJson(part: RolledPart): PartJson {
  const { model, charged, inputTokens, cachedInputTokens, outputTokens, durationMs } = part;
  return [model, Number(charged), inputTokens, cachedInputTokens, outputTokens, durationMs];
}

/** Reads what {@linkcode partJson} wrote. */
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
