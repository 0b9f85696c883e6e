/**
 * Reads an image edit, as JSON or as the form that OpenAI's clients send, into the same value.
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

/** Maximum number of fields of a form. */
export const MOST_FORM_FIELDS = 64;

const TOO_MANY_FIELDS = `The form has more than ${MOST_FORM_FIELDS} fields`;

/**
 * Size of a text that is searched at once for parts: V8 allocates longer ones where only a full
 * collection finds them.
 */
const SEARCHED_BYTES = TURN_CHARS / 4;

/** The boundary as MIME defines it: at most 70 characters. */
const BOUNDARY = /;\s*boundary=(?:"([^"\\]{1,70})"|([^\s";,]{1,70}))\s*(?:;|$)/i;
const MULTIPART = /^multipart\/form-data\s*;/i;
/** Fields that are files. */
const FILES = new Set(["image", "mask"]);
/** Fields that are numbers in JSON. */
const NUMBERS = new Set(["n", "output_compression", "partial_images"]);

/**
 * Reads an image edit from JSON or from a form. In a form, files become data URIs, `image[]`
 * becomes an array, and numbers and booleans become those of JSON; nothing is validated yet.
 *
 * @throws {ServiceFault} When the body is too large or neither of the two.
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
  // The form has its own copy. Freed at once: waiting for the collector would make it run earlier.
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
  // Not by assignment: a field may have the name `__proto__`.
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
  // The platform's parser returns an empty form for a body without parts.
  if (entries.length === 0) throw invalid("The multipart form has no field");
  if (entries.length > MOST_FORM_FIELDS) throw invalid(TOO_MANY_FIELDS);
  return entries;
}

/**
 * Refuses a form of too many parts, or without an end. The platform's parser takes seconds for the
 * half million parts that fit into a body, and reads to the end of one that has no end.
 */
async function requireFewParts(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<void> {
  const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw invalid("The body is not a valid multipart form");
  const delimiter = `--${boundary}`;
  // The form ends with one delimiter more than it has parts.
  let delimiters = 0;
  for (let from = 0; from < bytes.length; from += SEARCHED_BYTES) {
    if (from > 0 && from % TURN_CHARS === 0) await yieldToEventLoop();
    // Searched as text: the search of a `Buffer` depends on the delimiter's length as well. Each
    // piece includes the start of a delimiter that ends in the next piece.
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
  // Any other text stays text, for the schema to refuse.
  if (NUMBERS.has(field) && /^-?\d{1,9}$/.test(entry)) return Number(entry);
  return entry;
}

/** Clients that do not know a file's type send none, or the one for any file. */
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
