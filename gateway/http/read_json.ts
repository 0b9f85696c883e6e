/**
 * From a request to the JSON it carries, refusing before buffering and before parsing.
 *
 * @module
 */

import { ServiceFault } from "../domain/fault.ts";
import type { JsonBody } from "../ports/upstream.ts";
import { exceedsDepth } from "../wire/json_text.ts";

/** Largest body of a model call: room for a few images as data URIs. */
export const BODY_MAX_BYTES = 32 * 1024 * 1024;
/** Deepest nesting: a body nested millions deep blocks `JSON.parse` for seconds. */
export const BODY_MAX_DEPTH = 128;

/** Reads a JSON object. Throws a {@linkcode ServiceFault} that says what is wrong with it. */
export async function readJson(
  request: Request,
  options: { maxBytes: number } = { maxBytes: BODY_MAX_BYTES },
): Promise<JsonBody> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new ServiceFault("unsupported_media_type");
  }
  const text = decode(await readBytes(request, options.maxBytes));
  if (exceedsDepth(text, BODY_MAX_DEPTH)) {
    throw new ServiceFault("invalid_request", {
      message: `The body is nested more than ${BODY_MAX_DEPTH} levels deep`,
    });
  }
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

/** V8 quotes the text it stumbled over; a caller's error log need not carry all of it. */
function printable(message: string): string {
  return message.replace(/, ?"[^]*$/, "").replace(/[^\x20-\x7e]/g, "?").slice(0, 200);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ServiceFault("invalid_request", { message: "The body is not valid UTF-8" });
  }
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (declared !== null) {
    if (Number(declared) > maxBytes) throw tooLarge(maxBytes);
    return await request.bytes();
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request.body ?? []) {
    length += piece.byteLength;
    if (length > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

function tooLarge(maxBytes: number): ServiceFault {
  return new ServiceFault("body_too_large", {
    message: `The request body is larger than ${maxBytes} bytes`,
  });
}
