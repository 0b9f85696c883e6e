/**
 * Parts of an input message as Chat Completions has them.
 *
 * @module
 */

import type { ContentPart, ImageUrl } from "@svc/sdk/protocol";
import type { Loss } from "./loss.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Translates a message's content. Lone plain text stays a string: every server understands it. */
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

/** What an assistant said, and where it refused, its words for that. */
export function assistantContent(
  content: unknown,
  path: string,
  losses: Loss[],
): { content: string | null; refusal?: string } {
  if (typeof content === "string") return { content };
  const texts: string[] = [];
  const refusals: string[] = [];
  for (const [at, part] of (Array.isArray(content) ? content : []).entries()) {
    if (part?.type === "refusal") refusals.push(String(part.refusal));
    else if (typeof part?.text === "string") texts.push(part.text);
    else losses.push(unknownPart(part, `${path}.${at}`));
  }
  return {
    content: texts.length === 0 ? null : texts.join(""),
    ...(refusals.length === 0 ? {} : { refusal: refusals.join("") }),
  };
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
  else if (detail === "original") {
    image.detail = "high";
    losses.push({
      path: `${path}.detail`,
      reason: '"high" is the closest that can be carried',
      action: "report",
    });
  }
  return { type: "image_url", image_url: image, ...more };
}

function filePart(part: Fields, path: string, losses: Loss[]): ContentPart | undefined {
  const { file_data, file_url, file_id, filename, detail: _detail, ...more } = part;
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
