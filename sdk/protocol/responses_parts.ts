/**
 * What the items of Responses have in them: texts, images, files, sources.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

/** Text that a model reads. */
export interface InputTextPart extends Extensible {
  /** Tells the kinds of parts apart. */
  type: "input_text";
  /** The words themselves. */
  text: string;
}

/** An image that a model sees. */
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

/** A file that a model reads. */
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

/** A page that the text cites. */
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

/** A file that the text cites. */
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

/** A source that the text cites. */
export type ResponseAnnotation = UrlCitation | FileCitation;

/** A token that a model could have written, and how likely it was. */
export interface ResponseToken extends Extensible {
  /** Its text. */
  token: string;
  /** The same in UTF-8. */
  bytes: number[];
  /** Natural logarithm of its probability. */
  logprob: number;
}

/** A token that a model wrote, beside those that were the likeliest there. */
export interface ResponseLogprob extends ResponseToken {
  /** As many as `top_logprobs` asked for. */
  top_logprobs: ResponseToken[];
}

/** Text that a model wrote. */
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

/** What a model said where it refused. */
export interface RefusalPart extends Extensible {
  /** Tells the kinds of parts apart. */
  type: "refusal";
  /** The model's words. */
  refusal: string;
}

/** Reasoning as the model wrote it. */
export interface ReasoningTextPart extends Extensible {
  /** Tells it from a summary. */
  type: "reasoning_text";
  /** The words themselves. */
  text: string;
}

/** A summary of a model's reasoning. */
export interface SummaryTextPart extends Extensible {
  /** Tells it from reasoning itself. */
  type: "summary_text";
  /** The words themselves. */
  text: string;
}

/** A part of a kind not modelled here. */
export interface OtherInputPart extends Extensible {
  /** Its kind. */
  type: string;
}

/** Part of an input message's content. */
export type ResponseInputPart =
  | InputTextPart
  | InputImagePart
  | InputFilePart
  | OutputTextPart
  | RefusalPart
  | OtherInputPart;
