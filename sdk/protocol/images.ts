/**
 * Image generation and image editing on the wire.
 *
 * Shapes follow OpenAI's public API reference and the specification's section 2.7; type tests hold
 * them against the types of the `openai` package. Neither endpoint ever streams.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type { ServiceMetadata } from "./metadata.ts";

/**
 * How an image comes back: in the answer itself, or as an address that expires.
 *
 * @example
 * ```ts
 * import type { ImageResponseFormat } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const format: ImageResponseFormat = "url";
 * assertEquals(JSON.stringify({ response_format: format }), '{"response_format":"url"}');
 * ```
 */
export type ImageResponseFormat = "b64_json" | "url";

/**
 * What both requests have.
 *
 * @example
 * ```ts
 * import type { ImageRequest } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const request: ImageRequest = { model: "auto", prompt: "A cat", n: 2, size: "1024x1024" };
 * const [width, height] = (request.size ?? "").split("x").map(Number);
 * assertEquals([width, height], [1_024, 1_024]);
 * ```
 */
export interface ImageRequest extends Extensible {
  /** Always {@linkcode MODEL_AUTO}. */
  model: "auto";
  /** What to draw, or what to change. */
  prompt: string;
  /** Number of images. @default {1} */
  n?: number | null;
  /** `<width>x<height>` in pixels, or `auto`; the model's choice where absent. */
  size?: string | null;
  /** How the images come back. @default {"b64_json"} */
  response_format?: ImageResponseFormat | null;
  /** Never true: images come in one reply. */
  stream?: false | null;
}

/**
 * Body of `POST /openai/v1/images/generations`.
 *
 * @example
 * ```ts
 * import type { ImageGenerationRequest } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const request: ImageGenerationRequest = {
 *   model: "auto",
 *   prompt: "A cat",
 *   response_format: "url",
 * };
 * assertEquals(request.response_format, "url");
 * ```
 */
export type ImageGenerationRequest = ImageRequest;

/**
 * Body of `POST /openai/v1/images/edits`; a multipart form has the same fields.
 *
 * @example
 * ```ts
 * import type { ImageEditRequest } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const request: ImageEditRequest = {
 *   model: "auto",
 *   prompt: "Give the cat a hat",
 *   image: "https://a.example/cat.png",
 * };
 * assertEquals(request.mask, undefined);
 * ```
 */
export interface ImageEditRequest extends ImageRequest {
  /** What to edit: http(s) URLs or base64 data URIs. */
  image: string | string[];
  /** Where its pixels are transparent, the image is to be edited; an URL or a data URI too. */
  mask?: string | null;
}

/**
 * One image of an answer: one of `b64_json` and `url` is there.
 *
 * @example
 * ```ts
 * import type { GeneratedImage } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const image: GeneratedImage = { b64_json: "iVBORw0KGgo=" };
 * const bytes = Uint8Array.from(atob(image.b64_json ?? ""), (char) => char.charCodeAt(0));
 * assertEquals(bytes[0], 0x89);
 * ```
 */
export interface GeneratedImage extends Extensible {
  /** The file, in base64. */
  b64_json?: string;
  /** Where the file is, until the address expires. */
  url?: string;
  /** The prompt as the model changed it, where it did. */
  revised_prompt?: string;
}

/**
 * What kinds of input tokens an image request came to.
 *
 * @example
 * ```ts
 * import type { ImageInputTokens } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const tokens: ImageInputTokens = { image_tokens: 272, text_tokens: 12 };
 * assertEquals(tokens.image_tokens + tokens.text_tokens, 284);
 * ```
 */
export interface ImageInputTokens extends Extensible {
  /** Of images. */
  image_tokens: number;
  /** Of text. */
  text_tokens: number;
}

/**
 * Tokens of an image call, where its model counts them.
 *
 * @example
 * ```ts
 * import type { ImageUsage } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const usage: ImageUsage = {
 *   input_tokens: 284,
 *   output_tokens: 1_056,
 *   total_tokens: 1_340,
 *   input_tokens_details: { image_tokens: 272, text_tokens: 12 },
 * };
 * assertEquals(usage.total_tokens - usage.output_tokens, usage.input_tokens);
 * ```
 */
export interface ImageUsage extends Extensible {
  /** Text and images read. */
  input_tokens: number;
  /** The same by kind. */
  input_tokens_details: ImageInputTokens;
  /** Images drawn. */
  output_tokens: number;
  /** Sum of input and output. */
  total_tokens: number;
}

/**
 * Answer of both endpoints.
 *
 * @example
 * ```ts
 * import type { ImagesResponse } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const answer: ImagesResponse = {
 *   created: 1_772_366_400,
 *   data: [{ url: "https://a.example/1.png" }, { url: "https://a.example/2.png" }],
 *   upstream_warnings: ["quality was left out"],
 * };
 * assertEquals(answer.data.map(({ url }) => url?.slice(-5)), ["1.png", "2.png"]);
 * ```
 */
export interface ImagesResponse extends Extensible {
  /** Unix time in seconds. */
  created: number;
  /** The images. */
  data: GeneratedImage[];
  /** Present where the model counts tokens. */
  usage?: ImageUsage;
  /** What the provider has no place for and was left out, or asked for otherwise. */
  upstream_warnings?: string[];
  /** The route and the bill. */
  metadata?: ServiceMetadata;
}
