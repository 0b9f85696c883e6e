/**
 * Sources of images and documents of the Anthropic-compatible surface.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

/** An image's bytes. */
export interface Base64Source extends Extensible {
  /** Kind of the source. */
  type: "base64";
  /** For instance `image/png` or `application/pdf`. */
  media_type: string;
  /** The bytes. */
  data: string;
}

/** The address of an image or a document. */
export interface UrlSource extends Extensible {
  /** Kind of the source. */
  type: "url";
  /** An http(s) URL. */
  url: string;
}

/** A document that is text. */
export interface PlainTextSource extends Extensible {
  /** Kind of the source. */
  type: "text";
  /** Always `text/plain`. */
  media_type: string;
  /** The text. */
  data: string;
}

/** A source of a kind not modelled here, such as a file kept by a provider: it is refused. */
export interface OtherSource extends Extensible {
  /** Its kind. */
  type: string;
}
