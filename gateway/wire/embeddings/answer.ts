/**
 * A complete answer of embeddings from an upstream to the caller.
 *
 * @module
 */

import {
  type Dialect,
  type EmbeddingUsage,
  isJsonObject,
  type ServiceMetadata,
} from "@svc/sdk/protocol";
import type { Usage } from "../../domain/ledger/pricing.ts";
import { metadataIn } from "../metadata.ts";

type JsonRecord = Readonly<Record<string, unknown>>;

/** Options of {@linkcode embeddingsAnswer}. */
export interface EmbeddingsAnswerOptions {
  /** JSON text of each vector, in the order of the inputs. */
  readonly vectors: readonly string[];
  /** Catalog id of the model. */
  readonly model: string;
  /** The usage that was billed. */
  readonly usage: Usage;
  readonly metadata: ServiceMetadata;
  /** Dialect of the caller. */
  readonly dialect: Dialect;
}

/**
 * Returns the tokens of an answer; `undefined` where none are reported. As in `readChatUsage()`,
 * impossible numbers are returned as they are.
 */
export function readEmbeddingUsage({ usage }: JsonRecord): Usage | undefined {
  if (!isJsonObject(usage)) return undefined;
  const inputTokens = usage["prompt_tokens"] ?? usage["total_tokens"];
  if (typeof inputTokens !== "number") return undefined;
  return { inputTokens, cachedInputTokens: 0, outputTokens: 0 };
}

/** Returns the answer's text for the caller: the known fields alone. */
export function embeddingsAnswer(value: JsonRecord, options: EmbeddingsAnswerOptions): string {
  const { vectors, model, usage: { inputTokens }, dialect } = options;
  const { upstream_warnings: warnings } = value;
  const usage: EmbeddingUsage = { prompt_tokens: inputTokens, total_tokens: inputTokens };
  const rest = JSON.stringify({
    model,
    usage,
    ...(isTexts(warnings) ? { upstream_warnings: warnings } : {}),
    metadata: metadataIn(dialect, options.metadata),
  });
  const data = vectors.map((vector, index) =>
    `{"object":"embedding","index":${index},"embedding":${vector}}`
  );
  return `{"object":"list","data":[${data.join(",")}],${rest.slice(1)}`;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
