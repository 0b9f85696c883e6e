import type { ChatCompletion, ChatCompletionChunk, ChatRequest } from "../protocol/mod.ts";
import { MODEL_AUTO } from "../protocol/mod.ts";
import { ConfigurationError } from "../errors.ts";
import { requestIdOf, type Transport } from "../transport.ts";

/** A chat request as applications write it: `model` may be left out, and is then `auto`. */
export type ChatCreateRequest =
  // `Omit` would drop every named field of a type that has an index signature.
  & { [Field in keyof ChatRequest as Exclude<Field, "model" | "stream">]: ChatRequest[Field] }
  & {
    /** May be left out. */
    model?: typeof MODEL_AUTO;
  };

/** Options of one call. */
export interface CallOptions {
  /** Sent as `X-Request-ID`: correlates logs, never deduplicates. */
  readonly requestId?: string | undefined;
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
}

/** A result with the id to quote to the operator. */
export type WithRequestId<T> = T & { readonly requestId: string | undefined };

/** `client.chat.completions`. */
export class ChatCompletions {
  readonly #transport: Transport;

  /** Part of a client, which makes it. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Makes one completion.
   *
   * @throws {ServiceAPIError} The service answered with an error.
   */
  async create(
    request: ChatCreateRequest,
    options: CallOptions = {},
  ): Promise<WithRequestId<ChatCompletion>> {
    const { value, response } = await this.#transport.json({
      ...CHAT,
      ...options,
      body: bodyOf(request, false),
    });
    const completion = value as ChatCompletion;
    return { ...completion, requestId: requestIdOf(completion, response) };
  }

  /**
   * Streams one completion, chunk by chunk. The last chunk has empty `choices` and carries `usage`
   * and `metadata`.
   *
   * @throws {ServiceAPIError} The service answered with an error, or the answer broke off.
   */
  async *stream(
    request: ChatCreateRequest,
    options: CallOptions = {},
  ): AsyncGenerator<ChatCompletionChunk, void, undefined> {
    const body = bodyOf(request, true);
    for await (const value of this.#transport.events({ ...CHAT, ...options, body })) {
      const chunk = value as ChatCompletionChunk;
      yield Array.isArray(chunk.choices) ? chunk : { ...chunk, choices: [] };
    }
  }
}

const CHAT = { method: "POST", base: "openai", path: "/chat/completions" } as const;

function bodyOf(request: ChatCreateRequest, stream: boolean): ChatRequest {
  const model: string = request.model ?? MODEL_AUTO;
  if (model !== MODEL_AUTO) {
    throw new ConfigurationError(`Cannot send the model "${model}": the service takes "auto" only`);
  }
  return { ...request, model, stream };
}
