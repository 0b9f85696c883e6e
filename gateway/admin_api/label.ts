/**
 * Names that operators write.
 *
 * @module
 */

import { z } from "zod";

/**
 * Control characters, and characters that are invisible or change the direction of text. Ranges
 * instead of `\p{C}`, which Python and other readers of the description do not support.
 */
const INVISIBLE = "\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u2028-\\u202e" +
  "\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb";

/**
 * Returns the schema of one line of 1 to `most` visible characters, without the white space around
 * it.
 */
export function label(most: number): z.ZodString {
  return z.string().trim().min(1).max(most).regex(
    new RegExp(`^[^${INVISIBLE}]*[^\\s${INVISIBLE}][^${INVISIBLE}]*$`, "u"),
    "Use visible characters only, and no control characters",
  ).refine((text) => text.isWellFormed(), "Use whole characters: half of one cannot be stored");
}
