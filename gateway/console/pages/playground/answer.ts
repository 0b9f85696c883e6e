/**
 * The result of a call of the playground, read from the gateway's answer.
 *
 * @module
 */

import { z } from "zod";
import { nameOf } from "../requests/outcome_messages.ts";

const attempt = z.looseObject({ model: z.string(), outcome: z.string(), ms: z.number() });

const metadata = z.looseObject({
  request_id: z.string().optional(),
  routing: z.looseObject({
    model: z.string().nullish(),
    provider: z.string().nullish(),
    tier: z.string().nullish(),
    reason: z.string().nullish(),
    attempts: z.array(attempt).default([]),
  }).optional(),
  billing: z.looseObject({
    charged: z.string(),
    input_tokens: z.number().optional(),
    output_tokens: z.number().optional(),
    estimated: z.boolean().optional(),
  }).optional(),
});

/** Route and bill of a call. */
export type Metadata = z.output<typeof metadata>;

const answer = z.looseObject({
  error: z.looseObject({ code: z.string().nullish(), message: z.string() }).nullish(),
  choices: z.array(z.looseObject({
    message: z.looseObject({ content: z.string().nullish(), refusal: z.string().nullish() }),
  })).optional(),
  output: z.array(z.looseObject({
    type: z.string(),
    content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).optional(),
  })).optional(),
  data: z.array(z.looseObject({ b64_json: z.string().optional() })).optional(),
  metadata: metadata.nullish(),
});

/** The result of a call. */
export interface Answer {
  readonly text: string;
  /** Images as base64. */
  readonly images: readonly string[];
  readonly error: { readonly code: string; readonly message: string } | undefined;
  readonly metadata: Metadata | undefined;
  readonly requestId: string;
}

/** Reads the gateway's answer, which came with this id. */
export function readAnswer(body: unknown, requestId: string): Answer {
  const read = answer.safeParse(body);
  if (!read.success) {
    const error = { code: "internal", message: "The answer could not be read" };
    return { text: "", images: [], error, metadata: undefined, requestId };
  }
  const { error, choices = [], output = [], data = [], metadata } = read.data;
  const messages = choices.map(({ message }) => message.content ?? message.refusal ?? "");
  const written = output.flatMap(({ content = [] }) => content.map(({ text = "" }) => text));
  return {
    text: [...messages, ...written].join(""),
    images: data.flatMap(({ b64_json }) => b64_json === undefined ? [] : [b64_json]),
    error: error === null || error === undefined
      ? undefined
      : { code: error.code ?? "internal", message: error.message },
    metadata: metadata ?? undefined,
    requestId,
  };
}

/** Attempts in one line, as the script writes them too, with words for their outcomes. */
export function attemptsText(
  metadata: Metadata | undefined,
  outcomes: Readonly<Record<string, string>>,
): string {
  return (metadata?.routing?.attempts ?? [])
    .map(({ model, outcome, ms }) => `${model}: ${nameOf(outcomes, outcome)}, ${Math.round(ms)} ms`)
    .join("; ");
}
