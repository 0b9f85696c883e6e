/**
 * The embedding model of a key. Vectors of different models, or of different lengths, do not compare:
 * so a key keeps its model and its length until an operator changes them.
 *
 * @module
 */

import type { KeyRecord } from "./key.ts";

/** Origins of a pin: the key's first call, its policy, or an operator's own choice. */
export const PIN_SOURCES = ["first_call", "policy", "operator"] as const;
/** One of {@linkcode PIN_SOURCES}. */
export type PinSource = (typeof PIN_SOURCES)[number];

/** Maximum length of a vector. */
export const MAX_DIMENSIONS = 4_096;

/** The pinned model of a key, and of all keys of its rotation line. */
export interface EmbeddingPin {
  /** Id of the first key of the rotation line. */
  readonly lineId: string;
  /** Catalog id. */
  readonly model: string;
  /** Length of the vectors. @default {not known before the first answer} */
  readonly dimensions?: number | undefined;
  /**
   * Name of the model at its upstream: another one under the same catalog id makes other vectors.
   * @default {not known before the first answer}
   */
  readonly upstreamModel?: string | undefined;
  readonly source: PinSource;
  /** Time of the pin, in Unix milliseconds. */
  readonly atMs: number;
}

/** Returns the id under which the pin of a key is stored: its copies by rotation share it. */
export function pinLineOf({ id, budgetId }: Pick<KeyRecord, "id" | "budgetId">): string {
  return budgetId ?? id;
}

/**
 * Returns the pin in force: the policy's, else the stored one; `undefined` before the first call. The
 * length of a policy that names none is the stored one of the same model.
 */
export function pinInForce(
  key: KeyRecord,
  stored: EmbeddingPin | undefined,
): Omit<EmbeddingPin, "atMs"> | undefined {
  const { embeddings } = key.policy;
  if (embeddings === undefined) return stored;
  const { model } = embeddings;
  const known = stored?.model === model ? stored : undefined;
  const dimensions = embeddings.dimensions ?? known?.dimensions;
  const { upstreamModel } = known ?? {};
  return { lineId: pinLineOf(key), model, dimensions, upstreamModel, source: "policy" };
}

/** True for two pins of one line whose vectors compare. */
export function isSamePin(
  one: Pick<EmbeddingPin, "model" | "dimensions" | "upstreamModel"> | undefined,
  other: Pick<EmbeddingPin, "model" | "dimensions" | "upstreamModel"> | undefined,
): boolean {
  return one?.model === other?.model && one?.dimensions === other?.dimensions &&
    one?.upstreamModel === other?.upstreamModel;
}
