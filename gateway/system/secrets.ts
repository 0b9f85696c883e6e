/**
 * Removes secrets from log lines, both local and exported.
 *
 * @module
 */

import { SECRET_FORMS } from "../domain/redaction/secret_forms.ts";
import { secretSpans, withoutSpans, writingsOf } from "../domain/redaction/secret_spans.ts";

/** Shortest value treated as a secret, in characters: removing shorter ones would garble words. */
const SECRET_CHARS_MIN = 8;
/** Maximum number of known values: those of a configuration and of its changes. */
const KNOWN_MAX = 1_000;
/** Maximum length of one text in the log, in characters. */
const TEXT_CHARS_MAX = 65_536;
/** Characters examined beyond a cut, so that a secret across the cut is recognised. */
const LOOK_AHEAD_CHARS = 8_192;
/** Replacement for a removed secret. */
const REMOVED = "[removed]";

/** A set of known secrets, and their removal from text. */
export class Secrets {
  readonly #known = new Set<string>();
  /** All encodings of each known secret. */
  readonly #writings = new Set<string>();

  /** Adds a value to remove from all later texts; surrounding white space is not part of it. */
  add(secret: string | undefined): void {
    const value = secret?.trim() ?? "";
    if (value.length < SECRET_CHARS_MIN) return;
    if (this.#known.size >= KNOWN_MAX || this.#known.has(value)) return;
    this.#known.add(value);
    for (const writing of writingsOf(value)) this.#writings.add(writing);
  }

  /** Returns the text without secrets in any encoding; a long text is cut. */
  remove(text: string): string {
    const examined = text.slice(0, TEXT_CHARS_MAX + LOOK_AHEAD_CHARS);
    const spans = secretSpans(examined, { writings: [...this.#writings], forms: SECRET_FORMS });
    if (text.length <= TEXT_CHARS_MAX) return withoutSpans(text, spans, REMOVED);
    const inside = spans.filter(({ begin }) => begin < TEXT_CHARS_MAX);
    const end = Math.max(TEXT_CHARS_MAX, inside.at(-1)?.end ?? 0);
    const head = withoutSpans(examined.slice(0, end), inside, REMOVED);
    return `${head} … and ${text.length - end} characters more`;
  }
}
