/** Characters that show as nothing, or that turn the text around them: controls, and marks of direction. */
const UNSEEN = /(?![\n\t])\p{Cc}|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** A text from outside with what cannot be seen written out, as `\u{202e}`. */
export function shownText(text: string): string {
  return text.replace(UNSEEN, (mark) => `\\u{${mark.codePointAt(0)?.toString(16) ?? ""}}`);
}
