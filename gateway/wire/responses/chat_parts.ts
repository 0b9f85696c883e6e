/**
 * Converts parts of an input message to Chat Completions.
 *
 * @module
 */

import type { ContentPart, ImageUrl, TextPart } from "@svc/sdk/protocol";
import { type Loss, lostMembers } from "./loss.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Members of an assistant's text that are converted, or were part of the answer only. */
const TEXT_MEMBERS: readonly string[] = [
  ...["type", "text", "annotations", "logprobs", "cache_control"],
];

/**
 * Converts a message's content. A single plain text stays a string, which every server understands.
 */
export function chatContent(
  content: unknown,
  path: string,
  losses: Loss[],
): string | ContentPart[] {
  if (typeof content === "string") return content;
  const parts: ContentPart[] = [];
  for (const [at, part] of (Array.isArray(content) ? content : []).entries()) {
    const translated = chatPart(part, `${path}.${at}`, losses);
    if (translated !== undefined) parts.push(translated);
  }
  const [only] = parts;
  const isPlain = parts.length === 1 && only?.type === "text" && Object.keys(only).length === 2;
  return isPlain && typeof only["text"] === "string" ? only["text"] : parts;
}

/**
 * Converts an assistant's text and refusals to one text; where it has cache marks, to a part up to
 * each.
 */
export function assistantContent(
  content: unknown,
  path: string,
  losses: Loss[],
): { content: string | ContentPart[] | null; refusal?: string } {
  if (typeof content === "string") return { content };
  const texts: TextPart[] = [];
  const refusals: string[] = [];
  for (const [at, part] of (Array.isArray(content) ? content : []).entries()) {
    const place = `${path}.${at}`;
    if (part?.type === "refusal") {
      refusals.push(String(part.refusal));
      losses.push(...lostMembers(part, ["type", "refusal"], place));
    } else if (typeof part?.text === "string") {
      appendText(texts, part);
      losses.push(...lostMembers(part, TEXT_MEMBERS, place));
    } else losses.push(unknownPart(part, place));
  }
  const [only = null] = texts;
  return {
    content: only === null || texts.length > 1 || isMarked(only) ? only && texts : only.text,
    ...(refusals.length === 0 ? {} : { refusal: refusals.join("") }),
  };
}

function appendText(texts: TextPart[], { text, cache_control }: Fields): void {
  let last = texts.at(-1);
  if (last === undefined || isMarked(last)) texts.push(last = { type: "text", text: "" });
  last.text += String(text);
  if (cache_control !== undefined && cache_control !== null) last["cache_control"] = cache_control;
}

function isMarked(part: TextPart): boolean {
  return part["cache_control"] !== undefined;
}

function chatPart(part: Fields, path: string, losses: Loss[]): ContentPart | undefined {
  const { type, ...rest } = part;
  switch (type) {
    case "input_text":
    case "output_text": {
      const { text, annotations: _citations, logprobs: _logprobs, ...more } = rest;
      return { type: "text", text: String(text), ...more };
    }
    case "input_image":
      return imagePart(rest, path, losses);
    case "input_file":
      return filePart(rest, path, losses);
    case "input_audio":
      return { type, ...rest };
    default:
      losses.push(unknownPart(part, path));
      return undefined;
  }
}

function imagePart(part: Fields, path: string, losses: Loss[]): ContentPart | undefined {
  const { image_url, file_id, detail, ...more } = part;
  if (typeof image_url !== "string") {
    losses.push(keptFile(`${path}.file_id`, file_id));
    return undefined;
  }
  const image: ImageUrl = { url: image_url };
  if (detail === "auto" || detail === "low" || detail === "high") image.detail = detail;
  else if (detail !== undefined && detail !== null) {
    const isOriginal = detail === "original";
    if (isOriginal) image.detail = "high";
    const reason = isOriginal ? '"high" is the closest that can be carried' : "it is unknown";
    losses.push({ path: `${path}.detail`, reason, action: "report" });
  }
  return { type: "image_url", image_url: image, ...more };
}

function filePart(part: Fields, path: string, losses: Loss[]): ContentPart | undefined {
  const { file_data, file_url, file_id, filename, detail, ...more } = part;
  if (detail !== "auto") losses.push(...lostMembers({ detail }, [], path));
  if (typeof file_data === "string") {
    const file = { ...(typeof filename === "string" ? { filename } : {}), file_data };
    return { type: "file", file, ...more };
  }
  losses.push(
    typeof file_url === "string"
      ? { path: `${path}.file_url`, reason: "send the file itself in file_data", action: "native" }
      : keptFile(`${path}.file_id`, file_id),
  );
  return undefined;
}

function keptFile(path: string, id: unknown): Loss {
  return { path, reason: `no file "${String(id)}" is kept here`, action: "refuse" };
}

function unknownPart(part: Fields | null | undefined, path: string): Loss {
  return {
    path: `${path}.type`,
    reason: `a part of type "${String(part?.["type"])}" cannot be carried`,
    action: "native",
  };
}
