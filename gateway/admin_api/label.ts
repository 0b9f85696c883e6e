/**
 * Names that people give to things.
 *
 * @module
 */

import { z } from "zod";

/**
 * Controls, and characters that show as nothing or turn the direction of text. Ranges instead of
 * `\p{C}`, which is no regular expression in Python and other languages that read the description.
 */
const INVISIBLE = "\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u2028-\\u202e" +
  "\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb";

/** One line of visible text without the white space around it: 1 to `most` characters. */
export function label(most: number): z.ZodString {
  return z.string().trim().min(1).max(most).regex(
    new RegExp(`^[^${INVISIBLE}]*[^\\s${INVISIBLE}][^${INVISIBLE}]*$`, "u"),
    "Use visible characters only, and no control characters",
  ).refine((text) => text.isWellFormed(), "Use whole characters: half of one cannot be stored");
}
