import { isJsonObject } from "@svc/sdk/protocol";
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { reportUnknown } from "./known_members.ts";
import type { Notes } from "./notes.ts";

/** Part of a user's message. */
export type UserPart = Extract<LanguageModelV4Prompt[number], { role: "user" }>["content"][number];

const PART_TYPES = ["text", "refusal", "image_url", "file", "input_audio"] as const;

/** Names of documents that every provider accepts, with their ending. */
const PLAIN_NAME = /^[a-zA-Z0-9 ()[\]-]{1,200}(?:\.[a-zA-Z0-9]+)?$/;

const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w-]+=[^;,]*)*;base64,/;

/**
 * Translates one part of Chat's content; `undefined` where it cannot be carried, which is noted.
 */
export function userPart(part: unknown, path: string, notes: Notes): UserPart | undefined {
  const type = isJsonObject(part) ? part["type"] : undefined;
  if (!isJsonObject(part) || typeof type !== "string") {
    notes.refuse(path, "A part of a message is an object with a type");
    return undefined;
  }
  const known = PART_TYPES.find((one) => one === type);
  if (known === undefined) {
    notes.refuse(`${path}.type`, `Parts of type "${type}" cannot be carried to this provider`);
    return undefined;
  }
  reportUnknown(part, { of: known, path, notes });
  switch (known) {
    case "text":
      return { type: "text", text: String(part["text"]) };
    case "refusal":
      return { type: "text", text: String(part["refusal"]) };
    case "image_url":
      return imagePart(part["image_url"], `${path}.image_url`, notes);
    case "file":
      return filePart(part["file"], `${path}.file`, notes);
    case "input_audio":
      return audioPart(part["input_audio"], `${path}.input_audio`, notes);
  }
}

function imagePart(image: unknown, path: string, notes: Notes): UserPart | undefined {
  const { url: written, detail } = isJsonObject(image) ? image : { url: image, detail: undefined };
  if (isJsonObject(image)) reportUnknown(image, { of: "image_url.image_url", path, notes });
  const text = typeof written === "string" ? written : "";
  const imageDetail = typeof detail === "string" && detail !== "auto" &&
      notes.allows("image_detail", `${path}.detail`)
    ? detail
    : undefined;
  const providerOptions = imageDetail === undefined ? {} : {
    providerOptions: { openai: { imageDetail } },
  };
  const data = dataOf(text);
  if (data !== undefined) return { type: "file", ...data, ...providerOptions };
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    notes.refuse(`${path}.url`, "Write an http(s) URL or a base64 data URI");
    return undefined;
  }
  const part: UserPart = {
    type: "file",
    mediaType: "image/*",
    data: { type: "url", url },
    ...providerOptions,
  };
  notes.noteAddress("image_url", { part, path: `${path}.url`, url: text });
  return part;
}

function filePart(file: unknown, path: string, notes: Notes): UserPart | undefined {
  const { file_data, file_id, filename } = isJsonObject(file) ? file : {};
  if (isJsonObject(file)) reportUnknown(file, { of: "file.file", path, notes });
  if (file_id !== undefined && !notes.allows("file_id", `${path}.file_id`)) return undefined;
  const data = dataOf(typeof file_data === "string" ? file_data : "");
  if (data === undefined) {
    notes.refuse(`${path}.file_data`, "Write a base64 data URI");
    return undefined;
  }
  if (!notes.allows("file_data", `${path}.file_data`)) return undefined;
  const feature = /^(?:image|audio)\//.test(data.mediaType) ? "picture_filename" : "filename";
  const isNamed = typeof filename === "string" && notes.allows(feature, `${path}.filename`);
  if (isNamed && !PLAIN_NAME.test(filename)) notes.allows("odd_filename", `${path}.filename`);
  return { type: "file", ...data, ...(isNamed ? { filename } : {}) };
}

function audioPart(audio: unknown, path: string, notes: Notes): UserPart | undefined {
  const { data, format } = isJsonObject(audio) ? audio : {};
  if (isJsonObject(audio)) reportUnknown(audio, { of: "input_audio.input_audio", path, notes });
  if (!notes.allows("input_audio", path)) return undefined;
  if (typeof data !== "string" || typeof format !== "string") {
    notes.refuse(path, "Sound needs its data and format");
    return undefined;
  }
  return { type: "file", mediaType: `audio/${format}`, data: { type: "data", data } };
}

function dataOf(
  uri: string,
): { mediaType: string; data: { type: "data"; data: string } } | undefined {
  const match = DATA_URI.exec(uri);
  if (match === null) return undefined;
  const [head, mediaType = ""] = match;
  return { mediaType, data: { type: "data", data: uri.slice(head.length) } };
}
