/**
 * The schema that validates and describes requests of Responses.
 *
 * @module
 */

import { z } from "zod";
import { complain, ofType, requiring } from "./requirements.ts";

/** Maximum number of items: more than any model reads. */
const MOST_ITEMS = 10_000;
const MOST_TOOLS = 1_024;
/** Maximum number of pairs; every event with the whole response repeats them. */
const MOST_PAIRS = 16;

/**
 * Maximum length of an id, which names a response and is part of the refusal where there is none.
 */
const ID_MAX_CHARS = 256;

const INPUT = "expected a string or an array of items";
/** Maximum number of alternatives of a token, as with OpenAI. */
const MOST_LOGPROBS = 20;

/**
 * Reason for refusing file ids: a file lies in the operator's account at a provider, shared by all
 * tenants.
 */
const NO_FILES = "no files are kept here: send the file itself";

const ROLES = ["system", "developer", "user", "assistant"] as const;
const ROLE = `expected one of ${ROLES.join(", ")}`;
const NAME = "expected the function's name";
const CALL = "expected the id of the call";
const PARTS = {
  message: "expected a string or an array of parts",
  types: ["string", "array"],
} as const;

const ITEM_ID = { message: "expected the item's id", least: "empty" } as const;

const part = requiring(
  z.looseObject({
    type: z.string(),
    text: z.string().optional(),
    refusal: z.string().optional(),
    image_url: z.string().nullish(),
    file_data: z.string().nullish(),
    file_url: z.string().nullish(),
    file_id: z.string().max(0, NO_FILES).nullish(),
    filename: z.string().nullish(),
  }),
  [
    ofType(["input_text", "output_text"], "text", { message: "expected the part's text" }),
    ofType(["refusal"], "refusal", { message: "expected the words of the refusal" }),
    ofType(["input_image"], "image_url", {
      message: "expected an http(s) URL or a data URI",
      least: "empty",
    }),
    {
      when: { type: ["input_file"] },
      fields: ["file_data", "file_url"],
      message: "expected the file or its URL",
      least: "empty",
    },
  ],
);

const item = requiring(
  z.looseObject({
    type: z.string().nullish(),
    role: z.enum(ROLES, ROLE).optional(),
    content: z.unknown().optional(),
    id: z.string().max(ID_MAX_CHARS).nullish(),
    approval_request_id: z.string().max(ID_MAX_CHARS).nullish(),
    call_id: z.string().optional(),
    name: z.string().optional(),
    arguments: z.string().optional(),
    output: z.unknown().optional(),
  }),
  [
    ofType(["message"], "role", { message: ROLE }),
    ofType(["message"], "content", PARTS),
    { when: { type: null, role: ROLES }, fields: ["content"], ...PARTS },
    ofType(["function_call_output"], "output", PARTS),
    ofType(["function_call", "function_call_output"], "call_id", { message: CALL }),
    ofType(["function_call"], "name", { message: NAME }),
    ofType(["function_call"], "arguments", { message: "expected the input as JSON text" }),
    ofType(["item_reference"], "id", ITEM_ID),
    { when: { type: null, role: null }, fields: ["id"], ...ITEM_ID },
  ],
).check((ctx) => {
  const { type, role } = ctx.value;
  if (type === "message" || ((type ?? undefined) === undefined && role !== undefined)) {
    nested(ctx, "content");
  } else if (type === "function_call_output") nested(ctx, "output");
  else if (type !== "function_call") filesOf(ctx);
});

const FUNCTION_NAME = [ofType(["function"], "name", { message: NAME })];

const tool = requiring(
  z.looseObject({
    type: z.string(),
    name: z.string().min(1).optional(),
    description: z.string().nullish(),
    parameters: z.looseObject({}).nullish(),
    strict: z.boolean().nullish(),
  }),
  FUNCTION_NAME,
);

const toolChoice = requiring(
  z.looseObject({ type: z.string(), name: z.string().optional() }),
  FUNCTION_NAME,
);

/** Metadata of the caller: as many pairs, and as long, as OpenAI takes. */
const metadata = z.record(z.string().max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= MOST_PAIRS, `send at most ${MOST_PAIRS} pairs`);

const format = requiring(
  z.looseObject({
    type: z.string(),
    name: z.string().optional(),
    schema: z.looseObject({}).optional(),
  }),
  [
    ofType(["json_schema"], "name", { message: "expected the schema's name" }),
    ofType(["json_schema"], "schema", { message: "expected the schema" }),
  ],
);

const SAID = { not: { enum: [null, ""] } };

/** Fields of which one is required: an input, instructions alone, or a conversation to continue. */
const ASKING = [
  { required: ["input"], properties: { input: { not: { enum: [null, []] } } } },
  { required: ["instructions"], properties: { instructions: SAID } },
  { required: ["previous_response_id"], properties: { previous_response_id: SAID } },
];

/** Body of `POST /openai/v1/responses`. Fields not named here pass through unchanged. */
export const responsesRequestSchema = z.looseObject({
  model: z.literal("auto").describe("Always auto: the service chooses the model"),
  input: z.union([
    z.string(),
    z.array(item).max(MOST_ITEMS, `send at most ${MOST_ITEMS} items`),
  ], INPUT).nullish(),
  instructions: z.string().nullish(),
  tools: z.array(tool).max(MOST_TOOLS).nullish(),
  tool_choice: z.union([z.string(), toolChoice]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  text: z.looseObject({ format: format.optional(), verbosity: z.string().nullish() }).nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish(), summary: z.string().nullish() })
    .nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  metadata: metadata.nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().max(ID_MAX_CHARS).nullish(),
  include: z.array(z.string()).max(MOST_TOOLS).nullish(),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(MOST_LOGPROBS).nullish(),
  user: z.string().nullish(),
}).check((ctx) => {
  const { input, instructions, previous_response_id: previousId } = ctx.value;
  // An empty conversation may be continued, and instructions alone may be followed.
  if (instructions || previousId || input?.length || input === "") return;
  complain(ctx, "input", input ? "expected at least one item" : INPUT);
}).meta({ id: "ResponsesRequest", description: "A request for a response", anyOf: ASKING });

type Context = Parameters<typeof complain>[0];

/** Checks that the output of a tool that only providers know names no file at a provider. */
function filesOf(ctx: Context): void {
  const { output } = ctx.value as Record<string, unknown>;
  for (const [at, part] of (Array.isArray(output) ? output : [output]).entries()) {
    if (typeof part !== "object" || part === null || !part.file_id) continue;
    const path = Array.isArray(output) ? ["output", at, "file_id"] : ["output", "file_id"];
    ctx.issues.push({ code: "custom", input: part, path, message: NO_FILES });
    return;
  }
}

/**
 * Checks text or parts in their place: the schema depends on the item's type. Stops at the first
 * bad part: a hundred thousand complaints take seconds, in which no other request is served.
 */
function nested(ctx: Context, field: "content" | "output"): void {
  const value = (ctx.value as Record<string, unknown>)[field];
  if (!Array.isArray(value)) return;
  for (const [at, element] of value.entries()) {
    const [issue] = part.safeParse(element).error?.issues ?? [];
    if (issue === undefined) continue;
    const { path, message } = issue;
    ctx.issues.push({ code: "custom", input: element, path: [field, at, ...path], message });
    return;
  }
}
