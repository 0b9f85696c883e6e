import type { ChatCreateRequest } from "../chat/shapes.ts";
import { chatRequestOf } from "../messages/to_chat.ts";
import type { MessageCreateRequest } from "../messages/shapes.ts";
import { isJsonObject } from "@svc/tools/json";

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number | Promise<number>;

/** Tokens that stand around a message in every chat format. */
const MESSAGE_TOKENS = 4;
/** Tokens of an image: those of the largest that Anthropic's models take without shrinking it. */
const IMAGE_TOKENS = 1_600;
/** Characters of base64 for each token of a file: a page of a PDF is some 50 KB and 2 000 tokens. */
const FILE_CHARS_PER_TOKEN = 32;

/** The parts of a request that are counted. */
interface Measured {
  readonly texts: string[];
  tokens: number;
}

/**
 * Counts the input tokens of a request. No service is called: the model is not chosen yet, so the
 * count is an estimate for every model.
 *
 * @throws {ConfigurationError} The request cannot be converted.
 */
export async function inputTokens(
  request: MessageCreateRequest,
  count: CountTokens,
): Promise<number> {
  const { messages, tools }: ChatCreateRequest = chatRequestOf(request);
  const measured: Measured = { texts: [], tokens: messages.length * MESSAGE_TOKENS };
  measure(messages, measured);
  measure(tools ?? [], measured);
  return Math.max(1, measured.tokens + await count(measured.texts.join("\n")));
}

/**
 * Returns an estimate from the length of a text: four characters of a Latin script to a token, and
 * one of any other. It is above the count of most tokenizers.
 */
export function estimatedTokens(text: string): number {
  let latin = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 0x250) latin++;
  return Math.ceil(latin / 4) + text.length - latin;
}

/** Adds all texts of a value, in their order. Bytes of images and files are no texts. */
function measure(value: unknown, into: Measured): void {
  if (typeof value === "string") into.texts.push(value);
  else if (Array.isArray(value)) { for (const item of value) measure(item, into); }
  else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      switch (name) {
        case "image_url":
          into.tokens += IMAGE_TOKENS;
          break;
        case "file":
          into.tokens += Math.ceil(JSON.stringify(member).length / FILE_CHARS_PER_TOKEN);
          break;
        case "type":
        case "role":
        case "cache_control":
        case "extra_content":
        case "thought_signature":
          break;
        case "parameters":
          into.texts.push(JSON.stringify(member));
          break;
        default:
          measure(member, into);
      }
    }
  }
}
