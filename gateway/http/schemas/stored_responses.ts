/**
 * Schemas of requests for stored responses and of their answers.
 *
 * @module
 */

import { z } from "zod";

/** Names that OpenAI's `include` takes. Items are always complete here. */
export const INCLUDABLE = [
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
] as const;

/** Query of `GET /openai/v1/responses/{id}/input_items`, every value as text. */
export const inputItemsQuerySchema = z.object({
  limit: z.string().regex(/^([1-9]\d?|100)$/, "expected 1 to 100")
    .default("20").describe("Maximum number of items of a page"),
  order: z.enum(["asc", "desc"], 'expected "asc" or "desc"').default("desc")
    .describe("By age: `asc` begins with the oldest"),
  after: z.string().optional().describe("Id of the item before the first one"),
  include: z.array(
    z.enum(INCLUDABLE, `expected one of ${INCLUDABLE.join(", ")}`),
  ).optional().describe("Accepted; items are whole in any case"),
});

/** Answer of `GET /openai/v1/responses/{id}/input_items`. */
export const inputItemListSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(z.looseObject({ id: z.string() })),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
}).meta({ id: "ResponseItemList" });

/** Answer of `DELETE /openai/v1/responses/{id}`. */
export const responseDeletedSchema = z.strictObject({
  id: z.string(),
  object: z.literal("response"),
  deleted: z.literal(true),
}).meta({ id: "ResponseDeleted" });
