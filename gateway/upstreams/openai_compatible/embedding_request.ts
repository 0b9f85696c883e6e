import type { UpstreamCall } from "../../ports/upstream.ts";
import { editMembers } from "../../wire/json/text.ts";
import type { ChatWire } from "./request.ts";

/** Number of inputs from which vectors are requested in base64: as numbers they are three times longer. */
const MANY_INPUTS = 256;

/**
 * Returns the caller's text with the upstream's model name. Servers that know no base64 are asked for
 * numbers, and one that does is asked for base64 where the answer would be very long; the gateway
 * converts the vectors.
 */
export function embeddingRequestText(
  { body, model }: UpstreamCall,
  { protocol: { embeddingsEncoding } }: Pick<ChatWire, "protocol">,
): string {
  const { input } = body.value;
  const isLong = Array.isArray(input) && typeof input[0] !== "number" && input.length > MANY_INPUTS;
  const format = embeddingsEncoding === undefined
    ? { encoding_format: undefined }
    : isLong
    ? { encoding_format: JSON.stringify(embeddingsEncoding) }
    : {};
  return editMembers(body.text, { model: JSON.stringify(model), ...format });
}
