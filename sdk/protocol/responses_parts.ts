/**
 * What the items of Responses have in them: texts, images, files, sources.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

/**
 * Text that a model reads.
 *
 * @example
 * ```ts
 * import type { InputTextPart } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const part: InputTextPart = { type: "input_text", text: "What is this?" };
 * assertEquals(JSON.stringify(part), '{"type":"input_text","text":"What is this?"}');
 * ```
 */
export interface InputTextPart extends Extensible {
  /** Tells the kinds of parts apart. */
  type: "input_text";
  /** The words themselves. */
  text: string;
}

/**
 * An image that a model sees.
 *
 * @example
 * ```ts
 * import type { InputImagePart } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const part: InputImagePart = {
 *   type: "input_image",
 *   image_url: "https://a.example/cat.png",
 *   detail: "low",
 * };
 * assertEquals(new URL(part.image_url ?? "").pathname, "/cat.png");
 * ```
 */
export interface InputImagePart extends Extensible {
  /** Tells the kinds of parts apart. */
  type: "input_image";
  /** An http(s) URL or a base64 data URI. */
  image_url?: string | null;
  /** A file kept by a provider. */
  file_id?: string | null;
  /** Resolution that the model sees. */
  detail?: "auto" | "low" | "high" | "original" | null;
}

/**
 * A file that a model reads.
 *
 * @example
 * ```ts
 * import type { InputFilePart } from "@svc/sdk/protocol";
 * import { assert } from "@std/assert";
 *
 * const part: InputFilePart = {
 *   type: "input_file",
 *   filename: "handbook.pdf",
 *   file_data: "data:application/pdf;base64,JVBERi0=",
 * };
 * assert(part.file_data?.startsWith("data:application/pdf"));
 * ```
 */
export interface InputFilePart extends Extensible {
  /** Tells the kinds of parts apart. */
  type: "input_file";
  /** The file as a base64 data URI. */
  file_data?: string | null;
  /** Where the file is. */
  file_url?: string | null;
  /** A file kept by a provider. */
  file_id?: string | null;
  /** Its name. */
  filename?: string | null;
}

/**
 * A page that the text cites.
 *
 * @example
 * ```ts
 * import type { UrlCitation } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const text = "It rains in Oslo, says the weather service.";
 * const { start_index, end_index }: UrlCitation = {
 *   type: "url_citation",
 *   url: "https://a.example/",
 *   title: "Weather",
 *   start_index: 0,
 *   end_index: 16,
 * };
 * assertEquals(text.slice(start_index, end_index), "It rains in Oslo");
 * ```
 */
export interface UrlCitation extends Extensible {
  /** Tells the kinds of annotations apart. */
  type: "url_citation";
  /** First character of the text it supports. */
  start_index: number;
  /** Character after the text it supports. */
  end_index: number;
  /** Where the page is. */
  url: string;
  /** The page's title. */
  title: string;
}

/**
 * A file that the text cites.
 *
 * @example
 * ```ts
 * import type { FileCitation } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const citation: FileCitation = {
 *   type: "file_citation",
 *   file_id: "file_1",
 *   filename: "handbook.md",
 *   index: 42,
 * };
 * assertEquals(citation.filename, "handbook.md");
 * ```
 */
export interface FileCitation extends Extensible {
  /** Tells the kinds of annotations apart. */
  type: "file_citation";
  /** The file. */
  file_id: string;
  /** Its name. */
  filename: string;
  /** Character of the text that it belongs to. */
  index: number;
}

/**
 * A source that the text cites.
 *
 * @example
 * ```ts
 * import type { ResponseAnnotation } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const nameOf = (annotation: ResponseAnnotation) =>
 *   annotation.type === "url_citation" ? annotation.title : annotation.filename;
 * const file = { file_id: "file_1", filename: "handbook.md", index: 42 };
 * assertEquals(nameOf({ type: "file_citation", ...file }), "handbook.md");
 * ```
 */
export type ResponseAnnotation = UrlCitation | FileCitation;

/**
 * A token that a model could have written, and how likely it was.
 *
 * @example
 * ```ts
 * import type { ResponseToken } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const token: ResponseToken = { token: "Hi", bytes: [72, 105], logprob: -0.5 };
 * assertEquals(Math.round(100 * Math.exp(token.logprob)), 61);
 * ```
 */
export interface ResponseToken extends Extensible {
  /** Its text. */
  token: string;
  /** The same in UTF-8. */
  bytes: number[];
  /** Natural logarithm of its probability. */
  logprob: number;
}

/**
 * A token that a model wrote, beside those that were the likeliest there.
 *
 * @example
 * ```ts
 * import type { ResponseLogprob } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const written = { token: "Hi", bytes: [72, 105], logprob: -0.5 };
 * const logprob: ResponseLogprob = { ...written, top_logprobs: [written] };
 * assertEquals(logprob.top_logprobs.length, 1);
 * ```
 */
export interface ResponseLogprob extends ResponseToken {
  /** As many as `top_logprobs` asked for. */
  top_logprobs: ResponseToken[];
}

/**
 * Text that a model wrote.
 *
 * @example
 * ```ts
 * import type { OutputTextPart } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const part: OutputTextPart = {
 *   type: "output_text",
 *   text: "It rains in Oslo.",
 *   annotations: [],
 *   logprobs: [],
 * };
 * assertEquals(part.text, "It rains in Oslo.");
 * ```
 */
export interface OutputTextPart extends Extensible {
  /** Tells the kinds of parts apart. */
  type: "output_text";
  /** The words themselves. */
  text: string;
  /** Sources that the text cites. */
  annotations: ResponseAnnotation[];
  /** Of its tokens; empty where they were not asked for. */
  logprobs: ResponseLogprob[];
}

/**
 * What a model said where it refused.
 *
 * @example
 * ```ts
 * import type { RefusalPart } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const part: RefusalPart = { type: "refusal", refusal: "I cannot do that." };
 * assertEquals(part.refusal.length, 17);
 * ```
 */
export interface RefusalPart extends Extensible {
  /** Tells the kinds of parts apart. */
  type: "refusal";
  /** The model's words. */
  refusal: string;
}

/**
 * Reasoning as the model wrote it.
 *
 * @example
 * ```ts
 * import type { ReasoningTextPart } from "@svc/sdk/protocol";
 * import { assert } from "@std/assert";
 *
 * const part: ReasoningTextPart = { type: "reasoning_text", text: "17 * 23 is 391." };
 * assert(part.text.includes("391"));
 * ```
 */
export interface ReasoningTextPart extends Extensible {
  /** Tells it from a summary. */
  type: "reasoning_text";
  /** The words themselves. */
  text: string;
}

/**
 * A summary of a model's reasoning.
 *
 * @example
 * ```ts
 * import type { SummaryTextPart } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const summary: SummaryTextPart[] = [{ type: "summary_text", text: "The user greets." }];
 * assertEquals(summary.map(({ text }) => text).join("\n"), "The user greets.");
 * ```
 */
export interface SummaryTextPart extends Extensible {
  /** Tells it from reasoning itself. */
  type: "summary_text";
  /** The words themselves. */
  text: string;
}

/**
 * A part of a kind not modelled here.
 *
 * @example
 * ```ts
 * import type { OtherInputPart } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const part: OtherInputPart = { type: "input_audio", input_audio: { format: "wav" } };
 * assertEquals(part.type, "input_audio");
 * ```
 */
export interface OtherInputPart extends Extensible {
  /** Its kind. */
  type: string;
}

/**
 * Part of an input message's content.
 *
 * @example
 * ```ts
 * import type { ResponseInputPart } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const content: ResponseInputPart[] = [
 *   { type: "input_text", text: "What is this?" },
 *   { type: "input_image", image_url: "https://a.example/cat.png" },
 * ];
 * assertEquals(content.map(({ type }) => type), ["input_text", "input_image"]);
 * ```
 */
export type ResponseInputPart =
  | InputTextPart
  | InputImagePart
  | InputFilePart
  | OutputTextPart
  | RefusalPart
  | OtherInputPart;
