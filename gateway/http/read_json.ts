/**
 * Reads the JSON of a request; checks its limits before buffering and before parsing.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import { Buffer, isAscii } from "node:buffer";
import { ServiceFault } from "../domain/fault.ts";
import { atOnce } from "../domain/redaction/steps.ts";
import type { JsonBody } from "../ports/upstream.ts";
import {
  LONG_CHARS,
  runInSteps,
  TURN_CHARS,
  yieldToEventLoop,
} from "../system/yield_to_event_loop.ts";
import { hasEscapedName, parseSteps } from "../wire/json/parse.ts";
import { type JsonLimits, type JsonScan, repeatsName, scanSteps } from "../wire/json/text.ts";
import { readBytes, type ReadOptions } from "./read_bytes.ts";

export { readBytes };

/** Maximum size of the body of a model call, in bytes: room for a few images as data URIs. */
export const BODY_MAX_BYTES = 32 * 1024 * 1024;
/** Maximum nesting: a body nested millions deep blocks `JSON.parse` for seconds. */
export const BODY_MAX_DEPTH = 128;
/** Maximum number of JSON values: a body of millions of them takes gigabytes once it is parsed. */
export const BODY_MAX_VALUES = 100_000;
/**
 * Maximum number of characters outside strings: enough for the maximum number of values with white
 * space between.
 */
export const BODY_MAX_BARE_CHARS = 4 * 1024 * 1024;

/** Maximum length of a text that is parsed in one step, which takes some milliseconds. */
const ONE_PARSE_CHARS = 1024 * 1024;

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a JSON object. Throws a {@linkcode ServiceFault} that says what is wrong with it. None of
 * these names a field: as with OpenAI, whose `param` is null here too, the body as a whole is
 * unreadable.
 */
export async function readJson(
  request: Request,
  { maxValues = BODY_MAX_VALUES, ...options }: Partial<ReadOptions> & {
    /** Maximum number of JSON values. @default {BODY_MAX_VALUES} */
    readonly maxValues?: number | undefined;
  } = {},
): Promise<JsonBody> {
  const type = (options.headers ?? request.headers).get("content-type") ?? "";
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new ServiceFault("unsupported_media_type");
  }
  const bytes = await readBytes(request, { maxBytes: BODY_MAX_BYTES, ...options });
  const isLong = bytes.length > LONG_CHARS;
  const text = isLong ? await decodeInTurns(bytes) : decode(bytes, decoder);
  // Freed at once: waiting for the collector would make it run earlier.
  if (isLong) bytes.buffer.transfer(0);
  const limits = maxValues === BODY_MAX_VALUES ? LIMITS : { ...LIMITS, maxValues };
  const scan = scanSteps(text, limits);
  const names = namesOfModest(isLong ? await runInSteps(scan) : atOnce(scan), maxValues);
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

const EXCEEDED: Readonly<Record<Exclude<keyof JsonLimits, "maxValues">, string>> = {
  maxDepth: `is nested more than ${BODY_MAX_DEPTH} levels deep`,
  maxBareChars: `has more than ${BODY_MAX_BARE_CHARS} characters outside strings; send fewer`,
};

const LIMITS: JsonLimits = {
  maxDepth: BODY_MAX_DEPTH,
  maxValues: BODY_MAX_VALUES,
  maxBareChars: BODY_MAX_BARE_CHARS,
};

/** Returns the number of names in a scanned text. Throws where it passes a limit. */
function namesOfModest({ exceeded, names }: JsonScan, maxValues: number): number {
  if (exceeded === undefined) return names;
  const problem = exceeded === "maxValues"
    ? `has more than ${maxValues} JSON values; send fewer`
    : EXCEEDED[exceeded];
  throw new ServiceFault("invalid_request", { message: `The body ${problem}` });
}

/** V8 quotes the text at the error; a caller's error log should not contain all of it. */
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
 * Decodes UTF-8 in steps. ASCII, as of images in JSON and escaped text, becomes a text within a
 * millisecond for 20 MB, outside V8's heap. Of other texts the decoded pieces must be copied into
 * one.
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
