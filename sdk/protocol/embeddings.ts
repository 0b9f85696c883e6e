/**
 * Embeddings on the wire.
 *
 * Shapes follow OpenAI's public API reference; type tests hold them against the types of the
 * `openai` package. The endpoint is an extension of the service and never streams.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type { ServiceMetadata } from "./metadata.ts";

/** Maximum number of inputs of one request. */
export const EMBEDDING_INPUTS_MAX = 2_048;
/** Maximum number of tokens of one request, over all its inputs. */
export const EMBEDDING_TOKENS_MAX = 300_000;

/** Form of a vector in the answer: an array of numbers, or the base64 of 32-bit floats. */
export type EmbeddingEncoding = "float" | "base64";

/** One text, several texts, the token ids of one text, or those of several texts. */
export type EmbeddingInput = string | string[] | number[] | number[][];

/** Body of `POST /openai/v1/embeddings`. */
export interface EmbeddingRequest extends Extensible {
  /** Always {@linkcode MODEL_AUTO}: the model is the one pinned for the key. */
  model: "auto";
  /** The texts to embed. */
  input: EmbeddingInput;
  /** Length of the vectors. It is pinned with the model. @default {the pinned length} */
  dimensions?: number | null;
  /** Form of the vectors. @default {"float"} */
  encoding_format?: EmbeddingEncoding | null;
  /** Name of the caller's own user. */
  user?: string | null;
}

/** The vector of one input. */
export interface Embedding extends Extensible {
  /** Always this word. */
  object: "embedding";
  /** Place of the input in the request. */
  index: number;
  /** Numbers, or the base64 of little-endian 32-bit floats. */
  embedding: number[] | string;
}

/** Tokens of a call of embeddings. */
export interface EmbeddingUsage extends Extensible {
  /** Tokens read. */
  prompt_tokens: number;
  /** The same: nothing is written. */
  total_tokens: number;
}

/** Answer of `POST /openai/v1/embeddings`. */
export interface EmbeddingsResponse extends Extensible {
  /** Always this word. */
  object: "list";
  /** One vector for each input, in its order. */
  data: Embedding[];
  /** Catalog id of the pinned model. */
  model: string;
  /** Tokens of the call. */
  usage: EmbeddingUsage;
  /** Parameters that the provider does not support, each with what was done about it. */
  upstream_warnings?: string[];
  /** The route and the bill. */
  metadata?: ServiceMetadata;
}
