/**
 * Where images and documents of the Anthropic-compatible surface come from.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type { ContentBlockParam } from "./messages_content.ts";

/**
 * An image's bytes.
 *
 * @example
 * ```ts
 * import type { Base64Source } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const source: Base64Source = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
 * assertEquals(
 *   `data:${source.media_type};base64,${source.data}`.slice(0, 22),
 *   "data:image/png;base64,",
 * );
 * ```
 */
export interface Base64Source extends Extensible {
  /** Tells the kinds of sources apart. */
  type: "base64";
  /** For instance `image/png` or `application/pdf`. */
  media_type: string;
  /** The bytes. */
  data: string;
}

/**
 * Where an image or a document is.
 *
 * @example
 * ```ts
 * import type { UrlSource } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const source: UrlSource = { type: "url", url: "https://a.example/cat.png" };
 * assertEquals(new URL(source.url).protocol, "https:");
 * ```
 */
export interface UrlSource extends Extensible {
  /** Tells the kinds of sources apart. */
  type: "url";
  /** An http(s) URL. */
  url: string;
}

/**
 * A document that is text.
 *
 * @example
 * ```ts
 * import type { PlainTextSource } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const source: PlainTextSource = {
 *   type: "text",
 *   media_type: "text/plain",
 *   data: "Chapter 1\nThe cat",
 * };
 * assertEquals(source.data.split("\n")[0], "Chapter 1");
 * ```
 */
export interface PlainTextSource extends Extensible {
  /** Tells the kinds of sources apart. */
  type: "text";
  /** Always `text/plain`. */
  media_type: string;
  /** The text. */
  data: string;
}

/**
 * A document that is made of blocks.
 *
 * @example
 * ```ts
 * import type { ContentSource } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const source: ContentSource = {
 *   type: "content",
 *   content: [{ type: "text", text: "Chapter 1" }, { type: "text", text: "Chapter 2" }],
 * };
 * assertEquals(source.content.length, 2);
 * ```
 */
export interface ContentSource extends Extensible {
  /** Tells the kinds of sources apart. */
  type: "content";
  /** Text, or blocks of text and images. */
  content: string | ContentBlockParam[];
}

/**
 * A source of a kind not modelled here, such as a file kept by a provider: it is refused.
 *
 * @example
 * ```ts
 * import type { OtherSource } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const source: OtherSource = { type: "file", file_id: "file_1" };
 * assertEquals(Object.keys(source), ["type", "file_id"]);
 * ```
 */
export interface OtherSource extends Extensible {
  /** Its kind. */
  type: string;
}
