import { ConfigurationError } from "./errors.ts";
import { MODEL_AUTO } from "./protocol/mod.ts";

/**
 * Options of one call.
 *
 * @example
 * ```ts
 * import type { CallOptions } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const options: CallOptions = {
 *   requestId: "order-42",
 *   signal: AbortSignal.timeout(30_000),
 *   timeoutMs: 10_000,
 * };
 * assertEquals(options.requestId, "order-42");
 * ```
 */
export interface CallOptions {
  /**
   * Sent as `X-Request-ID`: correlates logs, never deduplicates. 1 to 128 visible ASCII characters.
   *
   * @default {the service makes one}
   */
  readonly requestId?: string | undefined;
  /** Ends the call; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * In milliseconds, for the whole call or the life of a consumed stream; of a run: for each of its
   * requests. 0 or less: none.
   *
   * @default {the client's}
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * A result with the id to quote to the operator; absent where the answer names none.
 *
 * @example
 * ```ts
 * import type { ModelListResponse, WithRequestId } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const list: WithRequestId<ModelListResponse> = {
 *   success: true,
 *   data: { models: [] },
 *   requestId: "req_1",
 * };
 * assertEquals(`Quote ${list.requestId}`, "Quote req_1");
 * ```
 */
export type WithRequestId<T> = T & { readonly requestId: string | undefined };

/**
 * A request as applications write it: `model` may be left out and is then `auto`.
 *
 * @example
 * ```ts
 * import { type ChatRequest, MODEL_AUTO, type WithoutModel } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const request: WithoutModel<ChatRequest> = { messages: [{ role: "user", content: "Hello" }] };
 * assertEquals(request.model ?? MODEL_AUTO, "auto");
 * ```
 */
export type WithoutModel<Request> =
  // `Omit` would drop every named field of a type that has an index signature.
  & { [Field in keyof Request as Exclude<Field, "model" | "stream">]: Request[Field] }
  & {
    /** Always `auto`; may be left out. */
    model?: typeof MODEL_AUTO;
  };

/**
 * A request as applications have it: its lists may be read-only, and what is in them may be of
 * interfaces of their own, which name none of the fields that pass through.
 *
 * @example
 * ```ts
 * import type { ChatCreateRequest, Given } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * interface Said {
 *   role: "user" | "assistant";
 *   content: string;
 * }
 * const history: readonly Said[] = [{ role: "user", content: "Hello" }];
 * const request: Given<ChatCreateRequest> = { messages: history };
 * assertEquals(request.messages.length, 1);
 * ```
 */
export type Given<Request> = { [Field in keyof Request]: GivenList<Request[Field]> };

/**
 * A request whose answer comes in events, as one whole, or as a flag says.
 *
 * @example
 * ```ts
 * import type { AsStream, ChatCreateRequest } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const request: AsStream<ChatCreateRequest, true> = { messages: [], stream: true };
 * assertEquals(request.stream, true);
 * ```
 */
export type AsStream<Request, Stream extends boolean> =
  & Given<Request>
  & (Stream extends true ? { readonly stream: true }
    : { readonly stream?: Stream | null | undefined });

/**
 * A list of {@linkcode Given}; what is none stays as it is.
 *
 * @example
 * ```ts
 * import type { ChatMessage, GivenList } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const messages: GivenList<ChatMessage[]> = [{ role: "user", content: "Hello" }] as const;
 * assertEquals(messages[0]?.role, "user");
 * ```
 */
export type GivenList<Value> = Value extends readonly (infer Item)[]
  ? readonly (Item | Named<Item>)[]
  : Value;

/**
 * A value with the fields that its type names, and those alone: a type with an index signature takes
 * no value of an interface.
 *
 * @example
 * ```ts
 * import type { ChatMessage, Named } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const message: Named<ChatMessage> = { role: "user", content: "Hello" };
 * assertEquals(message.content, "Hello");
 * ```
 */
export type Named<Value> = Value extends readonly (infer Item)[] ? readonly Named<Item>[]
  : Value extends object ? {
      readonly [Field in keyof Value as string extends Field ? never : Field]: Named<Value[Field]>;
    }
  : Value;

/**
 * Refuses what is no request at all, as a call in plain JavaScript may bring it.
 *
 * @throws {ConfigurationError} It is no object.
 */
export function checkRequest(request: unknown): void {
  if (typeof request === "object" && request !== null) return;
  throw new ConfigurationError("Cannot send the request: it is no object");
}

/**
 * A request with its model.
 *
 * @throws {ConfigurationError} It names a model: the service chooses it.
 */
export function withModel<Request extends { readonly model?: unknown }>(
  request: Request,
): Request & { model: typeof MODEL_AUTO } {
  const { model = MODEL_AUTO } = request;
  if (model === MODEL_AUTO) return { ...request, model };
  const given = typeof model === "string" ? `the model "${model}"` : "a model that is no text";
  throw new ConfigurationError(
    `Cannot send ${given}: leave it out, the service takes "${MODEL_AUTO}" only`,
  );
}
