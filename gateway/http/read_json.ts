/**
 * From a request to the JSON it carries, refusing before buffering and before parsing.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import { Buffer, isAscii } from "node:buffer";
import { ServiceFault } from "../domain/fault.ts";
import type { JsonBody } from "../ports/upstream.ts";
import {
  LONG_CHARS,
  runInSteps,
  TURN_CHARS,
  yieldToEventLoop,
} from "../system/yield_to_event_loop.ts";
import { hasEscapedName, parseSteps } from "../wire/json/parse.ts";
import { type JsonLimits, repeatsName, scanSteps } from "../wire/json/text.ts";
import { readBytes, type ReadOptions } from "./read_bytes.ts";

export { readBytes };

/** Largest body of a model call: room for a few images as data URIs. */
export const BODY_MAX_BYTES = 32 * 1024 * 1024;
/** Deepest nesting: a body nested millions deep blocks `JSON.parse` for seconds. */
export const BODY_MAX_DEPTH = 128;
/** Most JSON values: a body of millions of them takes gigabytes once it is parsed. */
export const BODY_MAX_VALUES = 100_000;
/** Most characters outside strings: enough to write the most values with white space between. */
export const BODY_MAX_BARE_CHARS = 4 * 1024 * 1024;

/** What is longer is parsed in steps: one of these takes some milliseconds. */
const ONE_PARSE_CHARS = 1024 * 1024;

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a JSON object. Throws a {@linkcode ServiceFault} that says what is wrong with it. None of these
 * names a field: as with OpenAI, whose `param` is null here too, it is the body that cannot be read,
 * and nothing inside it is looked at before.
 */
export async function readJson(
  request: Request,
  options: Partial<ReadOptions> = {},
): Promise<JsonBody> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new ServiceFault("unsupported_media_type");
  }
  const bytes = await readBytes(request, { maxBytes: BODY_MAX_BYTES, ...options });
  const isLong = bytes.length > LONG_CHARS;
  const text = isLong ? await decodeInTurns(bytes) : decode(bytes, decoder);
  // Left to the collector, it would call it the sooner.
  if (isLong) bytes.buffer.transfer(0);
  const names = await namesOfModest(text);
  if (isLong) await yieldToEventLoop();
  let value: unknown;
  try {
    const inSteps = text.length > ONE_PARSE_CHARS || hasEscapedName(text);
    value = inSteps ? await runInSteps(parseSteps(text)) : JSON.parse(text);
  } catch (error) {
    const detail = error instanceof SyntaxError ? `: ${printable(error.message)}` : "";
    throw new ServiceFault("invalid_request", { message: `The body is not valid JSON${detail}` });
  }
  if (!isJsonObject(value)) {
    throw new ServiceFault("invalid_request", { message: "Send a JSON object as the body" });
  }
  if (isLong) await yieldToEventLoop();
  if (repeatsName(names, value)) {
    throw new ServiceFault("invalid_request", {
      message: "An object in the body has the same name twice; send each name once",
    });
  }
  return { text, value };
}

const EXCEEDED: Readonly<Record<keyof JsonLimits, string>> = {
  maxDepth: `is nested more than ${BODY_MAX_DEPTH} levels deep`,
  maxValues: `has more than ${BODY_MAX_VALUES} JSON values; send fewer`,
  maxBareChars: `has more than ${BODY_MAX_BARE_CHARS} characters outside strings; send fewer`,
};

const LIMITS: JsonLimits = {
  maxDepth: BODY_MAX_DEPTH,
  maxValues: BODY_MAX_VALUES,
  maxBareChars: BODY_MAX_BARE_CHARS,
};

/** How many names a text writes that passes no limit. */
async function namesOfModest(text: string): Promise<number> {
  const { exceeded, names } = await runInSteps(scanSteps(text, LIMITS));
  if (exceeded === undefined) return names;
  throw new ServiceFault("invalid_request", { message: `The body ${EXCEEDED[exceeded]}` });
}

/** V8 quotes the text it stumbled over; a caller's error log need not carry all of it. */
function printable(message: string): string {
  return message.replace(/, ?"[^]*$/, "").replace(/[^\x20-\x7e]/g, "?").slice(0, 200);
}

function decode(bytes: Uint8Array, by: TextDecoder, options?: TextDecodeOptions): string {
  try {
    return by.decode(bytes, options);
  } catch {
    throw new ServiceFault("invalid_request", { message: "The body is not valid UTF-8" });
  }
}

/**
 * ASCII, as pictures in JSON and what escapes the rest is, becomes a text in a millisecond for 20 MB,
 * outside of V8's heap. Of other texts the pieces that are decoded must be copied into one.
 */
async function decodeInTurns(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (isAscii(bytes)) {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  }
  const pieces = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for (let at = 0; at < bytes.length; at += TURN_CHARS) {
    const last = at + TURN_CHARS >= bytes.length;
    text += decode(bytes.subarray(at, at + TURN_CHARS), pieces, { stream: !last });
    await yieldToEventLoop();
  }
  return text;
}
