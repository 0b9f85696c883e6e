import { requestIdOf } from "../answer.ts";
import {
  type CallOptions,
  checkRequest,
  type Given,
  withModel,
  type WithoutModel,
  type WithRequestId,
} from "../call.ts";
import { isJsonObject } from "../protocol/json.ts";
import type { Embedding, EmbeddingRequest, EmbeddingsResponse } from "../protocol/mod.ts";
import { checkCallOptions } from "../run/run_options.ts";
import type { Transport } from "../transport.ts";

/** Bytes of a number in base64. */
const FLOAT_BYTES = 4;

/** A request of embeddings: `model` is optional and then `auto`. */
export type EmbeddingCreateRequest = WithoutModel<EmbeddingRequest>;

/** The vector of one input, as numbers whatever the encoding was. */
export type EmbeddingVector = Embedding & { embedding: number[] };

/** Vectors of texts. */
export type EmbeddingList = EmbeddingsResponse & { data: EmbeddingVector[] };

/**
 * `client.embeddings`. The model and the length of the vectors are pinned for the key at its first
 * call, or by its policy.
 *
 * @example
 * ```ts
 * import { ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const data = [{ object: "embedding", index: 0, embedding: [0.6, 0.8] }];
 * const client = new ServiceClient({
 *   apiKey: "key",
 *   fetch: () => Promise.resolve(Response.json({ object: "list", data })),
 * });
 * const answer = await client.embeddings.create({ input: "A cat" });
 * assertEquals(answer.data[0]?.embedding, [0.6, 0.8]);
 * ```
 */
export class Embeddings {
  readonly #transport: Transport;

  /** Used by the client. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Embeds one text or several, or the token ids of texts. Vectors in base64 are decoded.
   *
   * @throws {ServiceAPIError} The service answered with an error: `embedding_model_gone` if the pinned
   * model is no longer offered.
   * @throws {ConfigurationError} The request cannot be sent.
   */
  async create(
    request: Given<EmbeddingCreateRequest>,
    options: CallOptions = {},
  ): Promise<WithRequestId<EmbeddingList>> {
    checkCallOptions(options);
    checkRequest(request);
    const body: Record<string, unknown> = withModel(request);
    const call = { method: "POST", base: "openai", path: "/embeddings", body, ...options } as const;
    const { answer, value } = await this.#transport.json(call);
    const data = vectorsOf(value);
    if (data === undefined) {
      throw answer.error(value, "The service answered with something else than embeddings");
    }
    const list = { ...value as EmbeddingsResponse, data };
    return { ...list, requestId: requestIdOf(value, answer.response) };
  }
}

function vectorsOf(value: unknown): EmbeddingVector[] | undefined {
  const data = isJsonObject(value) ? value["data"] : undefined;
  if (!Array.isArray(data)) return undefined;
  const vectors: EmbeddingVector[] = [];
  for (const entry of data) {
    const embedding = isJsonObject(entry) ? numbersOf(entry["embedding"]) : undefined;
    if (embedding === undefined) return undefined;
    vectors.push({ ...entry as Embedding, embedding });
  }
  return vectors;
}

/** Returns the numbers of a vector; `undefined` for what is neither numbers nor base64 of floats. */
function numbersOf(embedding: unknown): number[] | undefined {
  if (Array.isArray(embedding)) {
    return embedding.every((value) => typeof value === "number") ? embedding : undefined;
  }
  if (typeof embedding !== "string") return undefined;
  let text: string;
  try {
    text = atob(embedding);
  } catch {
    return undefined;
  }
  if (text.length === 0 || text.length % FLOAT_BYTES !== 0) return undefined;
  const view = new DataView(Uint8Array.from(text, (letter) => letter.charCodeAt(0)).buffer);
  return Array.from(
    { length: text.length / FLOAT_BYTES },
    (_, at) => view.getFloat32(at * FLOAT_BYTES, true),
  );
}
