/**
 * Vectors of an answer: checked, and written in the form that the caller asked for.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { type EmbeddingEncoding, isJsonObject } from "@svc/sdk/protocol";
import type { Steps } from "../../domain/redaction/steps.ts";

type JsonRecord = Readonly<Record<string, unknown>>;

/** Vectors per step. */
const STEP_VECTORS = 32;
/** Bytes of a number in base64. */
const FLOAT_BYTES = 4;
/** Significant digits that name every 32-bit float. */
const FLOAT_DIGITS = 9;

/** The JSON texts of an answer's vectors, in the order of their inputs. */
export interface VectorTexts {
  readonly dimensions: number;
  readonly texts: readonly string[];
}

/** Inputs and form of the vectors. */
export interface ExpectedVectors {
  /** Number of inputs. */
  readonly count: number;
  readonly encoding: EmbeddingEncoding;
  /** Length of every vector. @default {the one of the first} */
  readonly dimensions?: number | undefined;
}

/** True when a parsed answer has the shape of one. */
export function isEmbeddingsAnswer({ data }: JsonRecord): boolean {
  return Array.isArray(data) && data.length > 0 && data.every((entry) =>
    isJsonObject(entry) &&
    (Array.isArray(entry["embedding"]) || typeof entry["embedding"] === "string")
  );
}

/**
 * Checks that there is one vector for each input, of one length and of finite numbers, and writes them
 * in the form asked for. Returns the problem, as the end of a sentence, where there is one.
 */
export function* vectorTextSteps(
  { data }: JsonRecord,
  { count, encoding, dimensions: expected }: ExpectedVectors,
): Steps<VectorTexts | string> {
  const entries: readonly unknown[] = Array.isArray(data) ? data : [];
  if (entries.length !== count) return `${entries.length} embeddings for ${count} inputs`;
  const texts = new Array<string | undefined>(count).fill(undefined);
  let dimensions = expected;
  for (const [place, entry] of entries.entries()) {
    if (place > 0 && place % STEP_VECTORS === 0) yield;
    const { embedding, index = place } = isJsonObject(entry) ? entry : {};
    if (typeof index !== "number" || !(index in texts) || texts[index] !== undefined) {
      return "no embedding of every input";
    }
    const numbers = numbersOf(embedding);
    if (numbers === undefined) return "an embedding that is neither numbers nor base64 of floats";
    dimensions ??= numbers.length;
    if (numbers.length !== dimensions || dimensions === 0) {
      return `an embedding of ${numbers.length} numbers, not ${dimensions}`;
    }
    texts[index] = textOf(embedding, numbers, encoding);
  }
  const written = texts.filter((text) => text !== undefined);
  return { dimensions: dimensions ?? 0, texts: written };
}

/** Returns the numbers of a vector; `undefined` where one of them is none, or not finite. */
function numbersOf(embedding: unknown): readonly number[] | Float32Array | undefined {
  if (Array.isArray(embedding)) return embedding.every(isFinite32) ? embedding : undefined;
  if (typeof embedding !== "string") return undefined;
  const bytes = Buffer.from(embedding, "base64");
  if (bytes.length % FLOAT_BYTES !== 0) return undefined;
  // The decoder skips characters that are none of base64's.
  if (bytes.toString("base64") !== embedding) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const floats = new Float32Array(bytes.length / FLOAT_BYTES);
  for (let at = 0; at < floats.length; at++) floats[at] = view.getFloat32(at * FLOAT_BYTES, true);
  return floats.every(Number.isFinite) ? floats : undefined;
}

/** True for a number that a 32-bit float can hold. */
function isFinite32(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(Math.fround(value));
}

/** Returns the JSON text of a vector; one that has the right form already keeps its numbers. */
function textOf(
  embedding: unknown,
  numbers: readonly number[] | Float32Array,
  encoding: EmbeddingEncoding,
): string {
  if (encoding === "base64") {
    return typeof embedding === "string" ? `"${embedding}"` : `"${base64Of(numbers)}"`;
  }
  if (Array.isArray(embedding)) return JSON.stringify(embedding);
  return `[${
    Array.from(numbers, (value) => String(Number(value.toPrecision(FLOAT_DIGITS)))).join(",")
  }]`;
}

/** Returns the base64 of numbers as little-endian 32-bit floats. */
export function base64Of(numbers: ArrayLike<number>): string {
  const bytes = Buffer.alloc(numbers.length * FLOAT_BYTES);
  for (let at = 0; at < numbers.length; at++) {
    bytes.writeFloatLE(numbers[at] ?? 0, at * FLOAT_BYTES);
  }
  return bytes.toString("base64");
}
