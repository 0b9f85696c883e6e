/**
 * Where images and documents of the Anthropic-compatible surface come from.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

/** An image's bytes. */
export interface Base64Source extends Extensible {
  /** Tells the kinds of sources apart. */
  type: "base64";
  /** For instance `image/png` or `application/pdf`. */
  media_type: string;
  /** The bytes. */
  data: string;
}

/** Where an image or a document is. */
export interface UrlSource extends Extensible {
  /** Tells the kinds of sources apart. */
  type: "url";
  /** An http(s) URL. */
  url: string;
}

/** A document that is text. */
export interface PlainTextSource extends Extensible {
  /** Tells the kinds of sources apart. */
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
