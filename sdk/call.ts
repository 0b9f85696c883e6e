import type { AutoOptions } from "./auto_choice.ts";
import { ConfigurationError } from "./errors.ts";
import type { Tags } from "./tags.ts";
import { MODEL_AUTO } from "./protocol/mod.ts";

/** Options of one call. */
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
  /**
   * Choice of the model, in place of the client's.
   *
   * @default {the client's}
   */
  readonly auto?: AutoOptions | undefined;
  /**
   * Tags for the sums of usage, in place of the client's.
   *
   * @default {the client's}
   */
  readonly tags?: Tags | undefined;
}

/** A result with the id to quote to the operator; the id is absent when the answer has none. */
export type WithRequestId<T> = T & { readonly requestId: string | undefined };

/** A request of an application: `model` is optional and then `auto`. */
export type WithoutModel<Request> =
  // `Omit` would drop every named field of a type that has an index signature.
  & { [Field in keyof Request as Exclude<Field, "model" | "stream">]: Request[Field] }
  & {
    /** Always `auto`; may be left out. */
    model?: typeof MODEL_AUTO;
  };

/**
 * A request as an application may hold it: its lists may be read-only, and their elements may be of
 * own interfaces without an index signature.
 */
export type Given<Request> = { [Field in keyof Request]: GivenList<Request[Field]> };

/** A request that streams, does not stream, or decides by a flag. */
export type AsStream<Request, Stream extends boolean> =
  & Given<Request>
  & (Stream extends true ? { readonly stream: true }
    : { readonly stream?: Stream | null | undefined });

/** A list of {@linkcode Given}; any other value stays unchanged. */
export type GivenList<Value> = Value extends readonly (infer Item)[]
  ? readonly (Item | Named<Item>)[]
  : Value;

/**
 * A value with the fields that its type names, and only those: a type with an index signature takes
 * no value of an interface.
 */
export type Named<Value> = Value extends readonly (infer Item)[] ? readonly Named<Item>[]
  : Value extends object ? {
      readonly [Field in keyof Value as string extends Field ? never : Field]: Named<Value[Field]>;
    }
  : Value;

/**
 * Rejects a request that is no object, as plain JavaScript may pass it.
 *
 * @throws {ConfigurationError} It is no object.
 */
export function checkRequest(request: unknown): void {
  if (typeof request === "object" && request !== null) return;
  throw new ConfigurationError("Cannot send the request: it is no object");
}

/**
 * Returns a request with its model.
 *
 * @throws {ConfigurationError} It names a model: the service chooses it.
 */
export function withModel<Request extends { readonly model?: unknown }>(
  request: Request,
): Request & { model: typeof MODEL_AUTO } {
  const { model = MODEL_AUTO } = request;
  if (model === MODEL_AUTO) return { ...request, model };
  const modelText = typeof model === "string" ? `the model "${model}"` : "a model that is no text";
  throw new ConfigurationError(
    `Cannot send ${modelText}: leave it out, the service takes "${MODEL_AUTO}" only`,
  );
}
