/**
 * Content of the items of Responses: texts, images, files, sources.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

/** Text that a model reads. */
export interface InputTextPart extends Extensible {
  /** Kind of the part. */
  type: "input_text";
  /** The text. */
  text: string;
}

/** An image that a model sees. */
export interface InputImagePart extends Extensible {
  /** Kind of the part. */
  type: "input_image";
  /** An http(s) URL or a base64 data URI. */
  image_url?: string | null;
  /** Id of a file that a provider stores; refused. */
  file_id?: string | null;
  /** Resolution that the model sees. */
  detail?: "auto" | "low" | "high" | "original" | null;
}

/** A file that a model reads. */
export interface InputFilePart extends Extensible {
  /** Kind of the part. */
  type: "input_file";
  /** The file as a base64 data URI. */
  file_data?: string | null;
  /** Address of the file. */
  file_url?: string | null;
  /** Id of a file that a provider stores; refused. */
  file_id?: string | null;
  /** Its name. */
  filename?: string | null;
}

/** A page that the text cites. */
export interface UrlCitation extends Extensible {
  /** Kind of the annotation. */
  type: "url_citation";
  /** First character of the text it supports. */
  start_index: number;
  /** Character after the text it supports. */
  end_index: number;
  /** Address of the page. */
  url: string;
  /** The page's title. */
  title: string;
}

/** A file that the text cites. */
export interface FileCitation extends Extensible {
  /** Kind of the annotation. */
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

/** A token of the answer with its most likely alternatives. */
export interface ResponseLogprob extends ResponseToken {
  /** As many as `top_logprobs` asked for. */
  top_logprobs: ResponseToken[];
}

/** Text that a model wrote. */
export interface OutputTextPart extends Extensible {
  /** Kind of the part. */
  type: "output_text";
  /** The text. */
  text: string;
  /** Sources that the text cites. */
  annotations: ResponseAnnotation[];
  /** Of its tokens; empty where they were not asked for. */
  logprobs: ResponseLogprob[];
}

/** The text with which a model refused. */
export interface RefusalPart extends Extensible {
  /** Kind of the part. */
  type: "refusal";
  /** Text of the refusal. */
  refusal: string;
}

/** Reasoning as the model wrote it. */
export interface ReasoningTextPart extends Extensible {
  /** Kind of the part; a summary has another. */
  type: "reasoning_text";
  /** The text. */
  text: string;
}

/** A summary of a model's reasoning. */
export interface SummaryTextPart extends Extensible {
  /** Kind of the part; reasoning itself has another. */
  type: "summary_text";
  /** The text. */
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
