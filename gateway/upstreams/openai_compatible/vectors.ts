import { MAX_DIMENSIONS } from "../../domain/policy/embedding_pin.ts";
import type { Vectors } from "../../ports/embedder.ts";

/** One entry of an answer: numbers, or the base64 of 32-bit floats. */
export interface EmbeddingEntry {
  readonly index: number;
  readonly embedding: readonly number[] | string;
}

/**
 * Returns the vectors of an answer in the order of their texts, each normalised to length 1; or the
 * problem with them, as the end of a sentence.
 */
export function vectorsOf(
  entries: readonly EmbeddingEntry[],
  expected: { readonly count: number; readonly dimensions?: number | undefined },
): Vectors | string {
  const { count } = expected;
  if (entries.length !== count) return `${entries.length} embeddings for ${count} texts`;
  const decoded = entries.map(({ embedding }) => floatsOf(embedding));
  const dimensions = expected.dimensions ?? decoded[0]?.length ?? 0;
  if (dimensions < 1 || dimensions > MAX_DIMENSIONS) {
    return `an embedding of ${dimensions} numbers, not 1 to ${MAX_DIMENSIONS}`;
  }
  const values = new Float32Array(count * dimensions);
  const seen = new Set<number>();
  for (const [at, floats] of decoded.entries()) {
    const index = entries[at]?.index ?? count;
    if (index >= count || seen.has(index)) return "no embedding of every text";
    seen.add(index);
    if (floats?.length !== dimensions) {
      return `an embedding of ${floats?.length ?? "broken"} numbers, not ${dimensions}`;
    }
    let squares = 0;
    for (const value of floats) squares += value * value;
    const norm = Math.sqrt(squares);
    if (!Number.isFinite(norm) || norm === 0) return "an embedding that points nowhere";
    for (const [place, value] of floats.entries()) {
      values[index * dimensions + place] = value / norm;
    }
  }
  return { kind: "vectors", dimensions, values };
}

/** Returns `undefined` for a text that is no base64 of whole numbers. */
function floatsOf(embedding: EmbeddingEntry["embedding"]): readonly number[] | undefined {
  if (typeof embedding !== "string") return embedding;
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = Uint8Array.fromBase64(embedding);
  } catch {
    return undefined;
  }
  if (bytes.length % 4 !== 0) return undefined;
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(at * 4, true));
}
