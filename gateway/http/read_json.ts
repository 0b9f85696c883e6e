/**
 * From a request to the JSON it carries, refusing before buffering and before parsing.
 *
 * @module
 */

import { ServiceFault } from "../domain/fault.ts";
import type { JsonBody } from "../ports/upstream.ts";
import { exceededLimit } from "../wire/json_text.ts";
import { readBytes } from "./read_bytes.ts";

export { readBytes };

/** Largest body of a model call: room for a few images as data URIs. */
export const BODY_MAX_BYTES = 32 * 1024 * 1024;
/** Deepest nesting: a body nested millions deep blocks `JSON.parse` for seconds. */
export const BODY_MAX_DEPTH = 128;
/** Most JSON values: a body of millions of them takes gigabytes once it is parsed. */
export const BODY_MAX_VALUES = 100_000;

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a JSON object. Throws a {@linkcode ServiceFault} that says what is wrong with it. None of these
 * names a field: as with OpenAI, whose `param` is null here too, it is the body that cannot be read,
 * and nothing inside it is looked at before.
 */
export async function readJson(
  request: Request,
  options: { maxBytes: number } = { maxBytes: BODY_MAX_BYTES },
): Promise<JsonBody> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new ServiceFault("unsupported_media_type");
  }
  const text = decode(await readBytes(request, options.maxBytes));
  requireModest(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const detail = error instanceof SyntaxError ? `: ${printable(error.message)}` : "";
    throw new ServiceFault("invalid_request", { message: `The body is not valid JSON${detail}` });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ServiceFault("invalid_request", { message: "Send a JSON object as the body" });
  }
  return { text, value: value as Readonly<Record<string, unknown>> };
}

function requireModest(text: string): void {
  const limits = { maxDepth: BODY_MAX_DEPTH, maxValues: BODY_MAX_VALUES };
  const exceeded = exceededLimit(text, limits);
  if (exceeded === undefined) return;
  throw new ServiceFault("invalid_request", {
    message: exceeded === "maxDepth"
      ? `The body is nested more than ${BODY_MAX_DEPTH} levels deep`
      : `The body has more than ${BODY_MAX_VALUES} JSON values; send fewer`,
  });
}

/** V8 quotes the text it stumbled over; a caller's error log need not carry all of it. */
function printable(message: string): string {
  return message.replace(/, ?"[^]*$/, "").replace(/[^\x20-\x7e]/g, "?").slice(0, 200);
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ServiceFault("invalid_request", { message: "The body is not valid UTF-8" });
  }
}
