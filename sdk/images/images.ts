import { requestIdOf } from "../answer.ts";
import {
  type CallOptions,
  checkRequest,
  type Given,
  withModel,
  type WithoutModel,
  type WithRequestId,
} from "../call.ts";
import { ConfigurationError } from "../errors.ts";
import type { ImageEditRequest, ImageGenerationRequest, ImagesResponse } from "../protocol/mod.ts";
import { checkCallOptions } from "../run/run_options.ts";
import type { Transport } from "../transport.ts";

/** A request for new images: `model` is optional and then `auto`. */
export type ImageGenerateRequest = WithoutModel<ImageGenerationRequest> & {
  /** Never true: images come in one reply. */
  stream?: false | null;
};

/** A request to change images: `model` is optional and then `auto`. */
export type ImageChangeRequest = WithoutModel<ImageEditRequest> & {
  /** Never true: images come in one reply. */
  stream?: false | null;
};

/**
 * `client.images`. Images come in one reply; neither method streams.
 *
 * @example
 * ```ts
 * import { ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const client = new ServiceClient({
 *   apiKey: "key",
 *   fetch: () => Promise.resolve(Response.json({ data: [{ url: "https://a.example/cat.png" }] })),
 * });
 * const { data } = await client.images.generate({ prompt: "A cat", size: "1024x1024" });
 * assertEquals(data[0]?.url, "https://a.example/cat.png");
 * ```
 */
export class Images {
  readonly #transport: Transport;

  /** Used by the client. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Draws images.
   *
   * @throws {ServiceAPIError} The service answered with an error.
   * @throws {ConfigurationError} The request cannot be sent, for instance with `stream: true`.
   */
  generate(
    request: Given<ImageGenerateRequest>,
    options: CallOptions = {},
  ): Promise<WithRequestId<ImagesResponse>> {
    return this.#send("/images/generations", request, options);
  }

  /**
   * Changes one image, or several: http(s) URLs or base64 data URIs.
   *
   * @throws {ServiceAPIError} The service answered with an error.
   * @throws {ConfigurationError} The request cannot be sent, for instance with `stream: true`.
   */
  edit(
    request: Given<ImageChangeRequest>,
    options: CallOptions = {},
  ): Promise<WithRequestId<ImagesResponse>> {
    return this.#send("/images/edits", request, options);
  }

  async #send(
    path: string,
    request: Given<ImageGenerateRequest>,
    options: CallOptions,
  ): Promise<WithRequestId<ImagesResponse>> {
    checkCallOptions(options);
    checkRequest(request);
    const body: Record<string, unknown> = withModel(request);
    if (body["stream"] === true) {
      throw new ConfigurationError(
        "Cannot stream images: leave stream out, they come in one reply",
      );
    }
    const call = { method: "POST", base: "openai", path, body, ...options } as const;
    const { answer, value } = await this.#transport.json(call);
    const images = value as ImagesResponse;
    if (!Array.isArray(images.data) || !images.data.every(isImage)) {
      throw answer.error(value, "The service answered with something else than images");
    }
    return { ...images, requestId: requestIdOf(value, answer.response) };
  }
}

function isImage(image: unknown): boolean {
  const { url, b64_json } = Object(image) as Record<string, unknown>;
  return typeof url === "string" || typeof b64_json === "string";
}
