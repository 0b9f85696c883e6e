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

/** Form of an image in the answer: in the answer itself, or as an address that expires. */
export type ImageResponseFormat = "b64_json" | "url";

/** Fields that both image requests have. */
export interface ImageRequest extends Extensible {
  /** Always {@linkcode MODEL_AUTO}. */
  model: "auto";
  /** Description of the image to draw, or of the change. */
  prompt: string;
  /** Number of images. @default {1} */
  n?: number | null;
  /** `<width>x<height>` in pixels, or `auto`; the model's choice where absent. */
  size?: string | null;
  /** Form of the images in the answer. @default {"b64_json"} */
  response_format?: ImageResponseFormat | null;
  /** Never true: images come in one reply. */
  stream?: false | null;
}

/** Body of `POST /openai/v1/images/generations`. */
export type ImageGenerationRequest = ImageRequest;

/** Body of `POST /openai/v1/images/edits`; a multipart form has the same fields. */
export interface ImageEditRequest extends ImageRequest {
  /** Images to edit: http(s) URLs or base64 data URIs. */
  image: string | string[];
  /** Mask as a URL or a data URI: its transparent pixels mark the area to edit. */
  mask?: string | null;
}

/** One image of an answer; exactly one of `b64_json` and `url` is present. */
export interface GeneratedImage extends Extensible {
  /** The file, in base64. */
  b64_json?: string;
  /** Address of the file, until it expires. */
  url?: string;
  /** The prompt as the model changed it, where it did. */
  revised_prompt?: string;
}

/** Kinds of input tokens of an image request. */
export interface ImageInputTokens extends Extensible {
  /** Of images. */
  image_tokens: number;
  /** Of text. */
  text_tokens: number;
}

/** Tokens of an image call, where its model counts them. */
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

/** Answer of both endpoints. */
export interface ImagesResponse extends Extensible {
  /** Unix time in seconds. */
  created: number;
  /** The images. */
  data: GeneratedImage[];
  /** Present where the model counts tokens. */
  usage?: ImageUsage;
  /**
   * Parameters that the provider does not support: each was left out or replaced, as the line says.
   */
  upstream_warnings?: string[];
  /** The route and the bill. */
  metadata?: ServiceMetadata;
}
