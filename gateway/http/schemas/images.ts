/**
 * The schemas that validate image requests and describe their answers.
 *
 * @module
 */

import { z } from "zod";
import { metadataSchema } from "./chat_answer.ts";

/** Maximum number of images of one request. */
export const MOST_IMAGES = 10;
/** Maximum number of images that one edit takes. */
export const MOST_EDITED_IMAGES = 16;
/** Maximum length of a prompt in UTF-16 code units, as OpenAI has it. */
export const LONGEST_PROMPT = 32_000;
/** Maximum length of a side, in pixels. */
export const LONGEST_SIDE = 4_096;

/** A side of 16 to 4096 pixels. */
const SIDE = "(?:1[6-9]|[2-9]\\d|[1-9]\\d{2}|[1-3]\\d{3}|40[0-8]\\d|409[0-6])";

const size = z.string().regex(
  new RegExp(`^(?:auto|${SIDE}x${SIDE})$`),
  `expected "<width>x<height>" with sides of 16 to ${LONGEST_SIDE} pixels, or "auto"`,
);

const image = z.string({ error: "expected an http(s) URL or a base64 data URI" });

const shared = {
  model: z.literal("auto").describe("Always auto: the service chooses the model"),
  prompt: z.string().min(1, "expected a prompt").max(LONGEST_PROMPT),
  n: z.int().min(1).max(MOST_IMAGES).nullish(),
  size: size.nullish(),
  response_format: z.enum(["b64_json", "url"]).nullish(),
  stream: z.literal(false, { error: "expected false: images come in one reply" }).nullish(),
};

/** Body of `POST /openai/v1/images/generations`. Fields not named here pass through unchanged. */
export const imageGenerationSchema = z.looseObject(shared)
  .meta({ id: "ImageGenerationRequest", description: "Asks for images" });

/** An image in OpenAI's JSON form. */
const imageReference = z.looseObject({
  image_url: z.string({ error: "expected an http(s) URL or a base64 data URI; no files are kept" }),
}, { error: 'expected an object with "image_url"' });

/** Fields of an edit. */
export const imageEditFields = z.looseObject({
  ...shared,
  image: z.union([
    image,
    z.array(image).min(1, "expected at least one image").max(MOST_EDITED_IMAGES),
  ], { error: "expected an http(s) URL or a base64 data URI, or an array of them" }).optional(),
  images: z.array(imageReference).min(1, "expected at least one image").max(MOST_EDITED_IMAGES)
    .optional().describe("The same images, as OpenAI's JSON has them"),
  mask: z.union([image, imageReference], {
    error: "expected an http(s) URL or a base64 data URI",
  }).nullish(),
});

/** Body of `POST /openai/v1/images/edits`, as JSON or as a form with the same fields. */
export const imageEditSchema = imageEditFields
  .refine(({ image, images }) => image !== undefined || images !== undefined, {
    error: "expected an http(s) URL or a base64 data URI, or an array of them",
    path: ["image"],
  })
  .refine(({ image, images }) => image === undefined || images === undefined, {
    error: 'expected either "image" or "images"',
    path: ["images"],
  })
  .meta({
    id: "ImageEditRequest",
    description: "Asks for changed images",
    oneOf: [{ required: ["image"] }, { required: ["images"] }],
  });

const tokens = z.int().min(0);

const generatedImage = z.strictObject({
  b64_json: z.base64().min(1).optional(),
  url: z.url({ protocol: /^(?:https?|data)$/ }).optional(),
  revised_prompt: z.string().optional(),
}).refine((value) => (value.b64_json === undefined) !== (value.url === undefined), {
  error: "expected one of b64_json and url",
});

/** A complete answer of either endpoint: an unknown field is a defect. */
export const imagesAnswerSchema = z.strictObject({
  created: z.int(),
  data: z.array(generatedImage).min(1),
  background: z.string().optional(),
  output_format: z.string().optional(),
  quality: z.string().optional(),
  size: z.string().optional(),
  usage: z.strictObject({
    input_tokens: tokens,
    input_tokens_details: z.strictObject({ image_tokens: tokens, text_tokens: tokens }),
    output_tokens: tokens,
    output_tokens_details: z.strictObject({ image_tokens: tokens, text_tokens: tokens }).optional(),
    total_tokens: tokens,
  }).optional(),
  upstream_warnings: z.array(z.string()).optional().describe(
    "Options that the provider does not support: ignored, or requested in another way",
  ),
  metadata: metadataSchema,
});
