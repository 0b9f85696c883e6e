/**
 * The schemas that validate requests of embeddings and describe their answers.
 *
 * @module
 */

import { EMBEDDING_INPUTS_MAX, EMBEDDING_TOKENS_MAX } from "@svc/sdk/protocol";
import { z } from "zod";
import { MAX_DIMENSIONS } from "../../domain/policy/embedding_pin.ts";
import { FIRST_ONLY } from "../validation.ts";
import { metadataSchema } from "./chat_answer.ts";

/** Largest id of a token: vocabularies have some hundred thousand. */
const TOKEN_ID_MAX = 2 ** 31 - 1;

const text = z.string({ error: "expected a text" }).min(1, "expected a text that is not empty");
const tokenId = z.int({ error: "expected a whole number, the id of a token" }).min(0)
  .max(TOKEN_ID_MAX);
const tokens = z.array(tokenId).min(1, "expected at least one token id")
  .max(EMBEDDING_TOKENS_MAX, `expected at most ${EMBEDDING_TOKENS_MAX} token ids`);

/** An array of inputs of one kind. */
function several<Input extends z.ZodType>(input: Input) {
  return z.array(input).min(1, "expected at least one input")
    .max(EMBEDDING_INPUTS_MAX, `expected at most ${EMBEDDING_INPUTS_MAX} inputs`);
}

/** Every form of the input: the first element of an array decides about the others. */
const FORMS = { text, texts: several(text), tokens, tokenLists: several(tokens) } as const;

const EXPECTED = "expected a text, an array of texts, or arrays of token ids";

/** Returns the schema of the form that a value has. */
function formOf(value: unknown): z.ZodType | undefined {
  if (typeof value === "string") return FORMS.text;
  if (!Array.isArray(value)) return undefined;
  const first: unknown = value[0];
  if (typeof first === "number") return FORMS.tokens;
  return Array.isArray(first) ? FORMS.tokenLists : FORMS.texts;
}

// A union would report the mistakes of every form, and try each of them.
const input = z.unknown().superRefine((value, context) => {
  const form = formOf(value);
  if (form === undefined) {
    context.addIssue({ code: "custom", message: EXPECTED });
    return;
  }
  const issue = form.safeParse(value, FIRST_ONLY).error?.issues[0];
  if (issue === undefined) return;
  context.addIssue({ code: "custom", path: [...issue.path], message: issue.message });
});

const shared = {
  model: z.literal("auto").describe("Always auto: the model is the one pinned for the key"),
  dimensions: z.int().min(1).max(MAX_DIMENSIONS).nullish().describe(
    "Length of the vectors, pinned with the model at the first call",
  ),
  encoding_format: z.enum(["float", "base64"], { error: "expected float or base64" }).nullish(),
  user: z.string().nullish(),
};

/** Body of `POST /openai/v1/embeddings`. Fields not named here pass through unchanged. */
export const embeddingRequestSchema = z.looseObject({ ...shared, input });

/** The same body, for the description. */
export const describedEmbeddingRequest = z.looseObject({
  ...shared,
  input: z.union([FORMS.text, FORMS.texts, FORMS.tokens, FORMS.tokenLists]).describe(
    `At most ${EMBEDDING_INPUTS_MAX} inputs of ${EMBEDDING_TOKENS_MAX} tokens in all`,
  ),
}).meta({ id: "EmbeddingRequest", description: "Asks for the vectors of texts" });

const count = z.int().min(0);

/** A complete answer: an unknown field is a defect. */
export const embeddingsAnswerSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(z.strictObject({
    object: z.literal("embedding"),
    index: count,
    embedding: z.union([z.array(z.number()).min(1), z.base64().min(1)]).describe(
      "Numbers, or the base64 of little-endian 32-bit floats",
    ),
  })).min(1),
  model: z.string(),
  usage: z.strictObject({ prompt_tokens: count, total_tokens: count }),
  upstream_warnings: z.array(z.string()).optional().describe(
    "Options that the provider does not support: ignored, or requested in another way",
  ),
  metadata: metadataSchema,
});
