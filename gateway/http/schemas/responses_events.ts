/**
 * Strict schemas of the events of a streamed response: unknown or missing fields fail.
 *
 * @module
 */

import { z } from "zod";
import {
  annotationSchema,
  logprobsSchema,
  outputItemSchema,
  outputTextSchema,
  reasoningTextSchema,
  refusalSchema,
  responseSchema,
  summaryTextSchema,
} from "./responses_resource.ts";

const index = z.int().min(0);

function event<const Type extends string, Shape extends z.core.$ZodShape>(
  type: Type,
  shape: Shape,
) {
  return z.strictObject({ type: z.literal(type), sequence_number: index, ...shape });
}

const item = { item_id: z.string().min(1), output_index: index };
const inPart = { ...item, content_index: index };
const inSummary = { ...item, summary_index: index };
const delta = z.string();
const text = z.string();
const logprobs = logprobsSchema;
const contentPart = z.discriminatedUnion("type", [
  outputTextSchema,
  refusalSchema,
  reasoningTextSchema,
]);

/** Returns the schema of the events over a resource and an item of its output. */
export function responseEventsOf<Response extends z.ZodType, Item extends z.ZodType>(
  { response, item: outputItem }: { response: Response; item: Item },
) {
  return z.discriminatedUnion("type", [
    event("response.created", { response }),
    event("response.in_progress", { response }),
    event("response.completed", { response }),
    event("response.incomplete", { response }),
    event("response.failed", { response }),
    event("response.output_item.added", { output_index: index, item: outputItem }),
    event("response.output_item.done", { output_index: index, item: outputItem }),
    event("response.content_part.added", { ...inPart, part: contentPart }),
    event("response.content_part.done", { ...inPart, part: contentPart }),
    event("response.output_text.delta", { ...inPart, delta, logprobs }),
    event("response.output_text.done", { ...inPart, text, logprobs }),
    event("response.output_text.annotation.added", {
      ...inPart,
      annotation_index: index,
      annotation: annotationSchema,
    }),
    event("response.refusal.delta", { ...inPart, delta }),
    event("response.refusal.done", { ...inPart, refusal: z.string() }),
    event("response.reasoning_text.delta", { ...inPart, delta }),
    event("response.reasoning_text.done", { ...inPart, text }),
    event("response.reasoning_summary_part.added", { ...inSummary, part: summaryTextSchema }),
    event("response.reasoning_summary_part.done", { ...inSummary, part: summaryTextSchema }),
    event("response.reasoning_summary_text.delta", { ...inSummary, delta }),
    event("response.reasoning_summary_text.done", { ...inSummary, text }),
    event("response.function_call_arguments.delta", { ...item, delta }),
    event("response.function_call_arguments.done", {
      ...item,
      arguments: z.string(),
      name: z.string(),
    }),
    event("response.web_search_call.in_progress", item),
    event("response.web_search_call.searching", item),
    event("response.web_search_call.completed", item),
    event("response.file_search_call.in_progress", item),
    event("response.file_search_call.searching", item),
    event("response.file_search_call.completed", item),
    event("error", {
      code: z.string().nullable(),
      message: z.string(),
      param: z.string().nullable(),
    }),
  ]);
}

/** One event of a response that this service generates. */
export const responseEventSchema = responseEventsOf({
  response: responseSchema,
  item: outputItemSchema,
});
