/**
 * The schema that validates requests of Responses, and from which their description is made.
 *
 * @module
 */

import { z } from "zod";

const ROLES = ["system", "developer", "user", "assistant"];

const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  image_url: z.string().nullish(),
  file_data: z.string().nullish(),
  file_url: z.string().nullish(),
  file_id: z.string().nullish(),
  filename: z.string().nullish(),
}).check((ctx) => {
  const { type, text, image_url, file_id, file_data, file_url } = ctx.value;
  if ((type === "input_text" || type === "output_text") && text === undefined) {
    complain(ctx, "text", "expected the part's text");
  }
  if (type === "input_image" && !image_url && !file_id) {
    complain(ctx, "image_url", "expected an http(s) URL or a data URI");
  }
  if (type === "input_file" && !file_data && !file_url && !file_id) {
    complain(ctx, "file_data", "expected the file, its URL or its id");
  }
});

const item = z.looseObject({
  type: z.string().nullish(),
  role: z.string().optional(),
  content: z.unknown().optional(),
  id: z.string().nullish(),
  call_id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.string().optional(),
  output: z.unknown().optional(),
}).check((ctx) => {
  const { type, role, id, call_id, name, arguments: text } = ctx.value;
  if (type === "message" || ((type ?? undefined) === undefined && role !== undefined)) {
    if (role === undefined || !ROLES.includes(role)) {
      complain(ctx, "role", `expected one of ${ROLES.join(", ")}`);
    }
    nested(ctx, "content");
  } else if (type === "function_call") {
    if (call_id === undefined) complain(ctx, "call_id", "expected the id of the call");
    if (name === undefined) complain(ctx, "name", "expected the function's name");
    if (text === undefined) complain(ctx, "arguments", "expected the input as JSON text");
  } else if (type === "function_call_output") {
    if (call_id === undefined) complain(ctx, "call_id", "expected the id of the call");
    nested(ctx, "output");
  } else if (type === "item_reference" || (type ?? undefined) === undefined) {
    if (!id) complain(ctx, "id", "expected the item's id");
  }
});

const tool = z.looseObject({
  type: z.string(),
  name: z.string().min(1).optional(),
  description: z.string().nullish(),
  parameters: z.looseObject({}).nullish(),
  strict: z.boolean().nullish(),
}).check((ctx) => {
  if (ctx.value.type === "function" && ctx.value.name === undefined) {
    complain(ctx, "name", "expected the function's name");
  }
});

const format = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  schema: z.looseObject({}).optional(),
}).check((ctx) => {
  const { type, name, schema } = ctx.value;
  if (type !== "json_schema") return;
  if (name === undefined) complain(ctx, "name", "expected the schema's name");
  if (schema === undefined) complain(ctx, "schema", "expected the schema");
});

/** Body of `POST /openai/v1/responses`. Fields not named here pass through unchanged. */
export const responsesRequestSchema = z.looseObject({
  model: z.literal("auto").meta({ description: "Always auto: the service chooses the model" }),
  input: z.union([z.string(), z.array(item).min(1, "expected at least one item")]),
  instructions: z.string().nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  text: z.looseObject({ format: format.optional(), verbosity: z.string().nullish() }).nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish(), summary: z.string().nullish() })
    .nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  include: z.array(z.string()).nullish(),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  user: z.string().nullish(),
}).meta({ id: "ResponsesRequest", description: "A request for a response" });

type Context = { value: unknown; issues: z.core.$ZodRawIssue[] };

function complain(ctx: Context, field: string, message: string): void {
  ctx.issues.push({ code: "custom", input: ctx.value, path: [field], message });
}

/** Checks text or parts in their place: what they must be depends on the item's type. */
function nested(ctx: Context, field: "content" | "output"): void {
  const value = (ctx.value as Record<string, unknown>)[field];
  if (typeof value === "string") return;
  if (!Array.isArray(value)) return complain(ctx, field, "expected a string or an array of parts");
  for (const [at, element] of value.entries()) {
    for (const { path, message } of part.safeParse(element).error?.issues ?? []) {
      ctx.issues.push({ code: "custom", input: element, path: [field, at, ...path], message });
    }
  }
}
