import type { UpstreamCall } from "../../ports/upstream.ts";
import { editMembers } from "../../wire/json/text.ts";

/**
 * Returns the caller's text with the upstream's model name, and with the output limit where the
 * text has none or a higher one. Every other byte is the caller's.
 */
export function responsesRequestText({ body, model, outputLimit }: UpstreamCall): string {
  return editMembers(body.text, {
    model: JSON.stringify(model),
    ...(outputLimit === undefined ? {} : { max_output_tokens: `${outputLimit}` }),
  });
}
