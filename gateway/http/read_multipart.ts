/**
 * An image edit as it comes: JSON, or the form that OpenAI's clients send, made into the same value.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { ServiceFault } from "../domain/fault.ts";
import { encodeDataUri } from "../images/data_uri.ts";
import { imageTypeOf } from "../images/image_file.ts";
import type { JsonBody } from "../ports/upstream.ts";
import { TURN_CHARS, yieldToEventLoop } from "../system/yield_to_event_loop.ts";
import { readBytes, type ReadOptions } from "./read_bytes.ts";
import { BODY_MAX_BYTES, readJson } from "./read_json.ts";

/** Most fields of a form. */
export const MOST_FORM_FIELDS = 64;

const TOO_MANY_FIELDS = `The form has more than ${MOST_FORM_FIELDS} fields`;

/** Searched at once for parts: V8 puts longer texts where only a whole collection finds them. */
const SEARCHED_BYTES = TURN_CHARS / 4;

/** As MIME has it: at most 70 characters. */
const BOUNDARY = /;\s*boundary=(?:"([^"\\]{1,70})"|([^\s";,]{1,70}))\s*(?:;|$)/i;
const MULTIPART = /^multipart\/form-data\s*;/i;
/** Fields that come as files. */
const FILES = new Set(["image", "mask"]);
/** Fields that are numbers in JSON. */
const NUMBERS = new Set(["n", "output_compression", "partial_images"]);

/**
 * Reads an image edit from JSON or from a form. In a form, files become data URIs, `image[]` becomes
 * an array, numbers and booleans are what they are in JSON; nothing is validated yet.
 *
 * @throws {ServiceFault} Where the body is too large or neither of the two.
 */
export async function readImageEdit(
  request: Request,
  options: Partial<ReadOptions> = {},
): Promise<JsonBody> {
  const type = request.headers.get("content-type") ?? "";
  if (MULTIPART.test(type)) return await readForm(request, { ...options, type });
  if (/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    return await readJson(request, options);
  }
  throw new ServiceFault("unsupported_media_type", {
    message: 'Send the body as "application/json" or "multipart/form-data"',
  });
}

async function readForm(
  request: Request,
  options: Partial<ReadOptions> & { readonly type: string },
): Promise<JsonBody> {
  const bytes = await readBytes(request, { maxBytes: BODY_MAX_BYTES, ...options });
  const fields = new Map<string, unknown>();
  const images: string[] = [];
  let array = false;
  // The form has its own copy. Left to the collector, this one would call it the sooner.
  const entries = await parseForm(bytes, options.type).finally(() => bytes.buffer.transfer(0));
  for (const [name, entry] of entries) {
    const field = name.replace(/\[\d*\]$/, "");
    const value = await valueOf(field, entry);
    if (field === "image") {
      images.push(String(value));
      array ||= field !== name;
    } else if (fields.has(field)) {
      throw invalid(`The form has the field "${printable(field)}" more than once`, field);
    } else fields.set(field, value);
  }
  const [image] = images;
  if (image !== undefined) fields.set("image", array || images.length > 1 ? images : image);
  // Not by assignment: a field may be called `__proto__`.
  const value = Object.fromEntries(fields);
  return { text: JSON.stringify(value), value };
}

async function parseForm(
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
): Promise<[string, FormDataEntryValue][]> {
  await requireFewParts(bytes, type);
  let form: FormData;
  try {
    form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch {
    throw invalid("The body is not a valid multipart form");
  }
  const entries = [...form];
  // The platform's parser makes an empty form of what has no part in it.
  if (entries.length === 0) throw invalid("The multipart form has no field");
  if (entries.length > MOST_FORM_FIELDS) {
    throw invalid(TOO_MANY_FIELDS);
  }
  return entries;
}

/**
 * The platform's parser takes seconds for the half million parts that fit into a body, and reads to
 * the end of one that has no end.
 */
async function requireFewParts(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<void> {
  const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw invalid("The body is not a valid multipart form");
  const delimiter = `--${boundary}`;
  // One delimiter more than parts ends the form.
  let delimiters = 0;
  for (let from = 0; from < bytes.length; from += SEARCHED_BYTES) {
    if (from > 0 && from % TURN_CHARS === 0) await yieldToEventLoop();
    // Searched as text: the search of a `Buffer` takes time by the delimiter's length, too. With
    // it comes the start of a delimiter that ends in the piece after.
    const length = Math.min(SEARCHED_BYTES + delimiter.length - 1, bytes.length - from);
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset + from, length).toString("latin1");
    for (let at = piece.indexOf(delimiter); at >= 0; at = piece.indexOf(delimiter, at + 1)) {
      if (++delimiters > MOST_FORM_FIELDS + 1) throw invalid(TOO_MANY_FIELDS);
    }
  }
  if (delimiters < 2) throw invalid("The multipart form has no field");
}

async function valueOf(field: string, entry: FormDataEntryValue): Promise<unknown> {
  if (typeof entry !== "string") {
    if (FILES.has(field)) return encodeDataUri(await mediaFile(entry));
    throw invalid(`Cannot accept "${printable(field)}": it takes no file`, field);
  }
  if (field === "stream") return entry === "true" ? true : entry === "false" ? false : entry;
  // What is no number stays text, for the schema to complain of.
  if (NUMBERS.has(field) && /^-?\d{1,9}$/.test(entry)) return Number(entry);
  return entry;
}

/** Clients that do not know a file's type send none, or the one for anything. */
async function mediaFile(file: File): Promise<{ mediaType: string; bytes: Uint8Array }> {
  const bytes = await file.bytes();
  const declared = file.type.split(";")[0]?.trim().toLowerCase() ?? "";
  const known = declared !== "" && declared !== "application/octet-stream";
  const mediaType = known ? declared : imageTypeOf(bytes) ?? "application/octet-stream";
  return { mediaType, bytes };
}

function invalid(message: string, param?: string): ServiceFault {
  return new ServiceFault("invalid_request", { message, param });
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, 80);
}
