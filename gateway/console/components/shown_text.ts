/** Characters that show as nothing, or that turn the text around them: controls, and marks of direction. */
const UNSEEN = /(?![\n\t])\p{Cc}|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** A text from outside with what cannot be seen written out, as `\u{202e}`. */
export function shownText(text: string): string {
  return text.replace(UNSEEN, (mark) => `\\u{${mark.codePointAt(0)?.toString(16) ?? ""}}`);
}

/**
 * Parts of a page that keep what they have: marks and their attributes, which browsers do not show;
 * what is edited, and what is there to be taken along.
 */
const KEPT = /<textarea\b[^>]*>[^]*?<\/textarea>|<pre\b[^>]*>[^]*?<\/pre>|<[^>]*>/g;

/** A page's markup, all of whose text is from outside until the contrary is known: as {@linkcode shownText}. */
export function shownMarkup(markup: string): string {
  if (markup.search(UNSEEN) < 0) return markup;
  let shown = "";
  let from = 0;
  for (const { 0: literal, index } of markup.matchAll(KEPT)) {
    shown += shownText(markup.slice(from, index)) + literal;
    from = index + literal.length;
  }
  return shown + shownText(markup.slice(from));
}
