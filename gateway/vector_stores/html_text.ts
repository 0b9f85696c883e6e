import { Parser } from "htmlparser2";
import { MAX_HTML_DEPTH } from "./limits.ts";
import { UnreadableFile } from "./unreadable_file.ts";

/**
 * Elements without readable content. The head is not among them: apart from its title it contains
 * nothing or elements of this list, and text after an unclosed head belongs to the page.
 */
const SILENT = new Set(["script", "style", "template", "noscript", "svg", "math", "iframe"]);
/** Elements that preserve line ends. */
const PREFORMATTED = new Set(["pre", "textarea"]);
/** Inline elements. */
const INLINE = new Set(
  ("a abbr b bdi bdo cite code data dfn em font i kbd label mark q s samp small span strong sub sup " +
    "time tt u var wbr").split(" "),
);

/**
 * Returns the text of an HTML page: its title and visible text, one line per block. Loads and runs
 * nothing.
 */
export function htmlText(html: string): string {
  const pieces: string[] = [];
  let depth = 0;
  // Depth of the outermost element that is never shown.
  let silentFrom: number | undefined;
  let preformatted = 0;
  const endLine = () => {
    if (pieces.at(-1)?.endsWith("\n") === false) pieces.push("\n");
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      // The parser's own work grows with the depth.
      if (++depth > MAX_HTML_DEPTH) throw new UnreadableFile("its elements are nested too deep");
      if (isSilent(name, attributes)) silentFrom ??= depth;
      if (PREFORMATTED.has(name)) preformatted++;
      if (name === "img" && silentFrom === undefined) pieces.push(` ${attributes.alt ?? ""} `);
      if (CELL.test(name)) pieces.push(" ");
      else if (!INLINE.has(name)) endLine();
    },
    ontext(text) {
      if (silentFrom !== undefined) return;
      pieces.push(text.replace(preformatted > 0 ? /[^\S\n]+/g : /\s+/g, " "));
    },
    onclosetag(name) {
      if (silentFrom === depth) silentFrom = undefined;
      depth--;
      if (PREFORMATTED.has(name)) preformatted--;
      if (BLANK_AFTER.test(name)) pieces.push("\n\n");
      else if (!INLINE.has(name) && !CELL.test(name)) endLine();
    },
  });
  parser.write(html);
  parser.end();
  return pieces.join("").replace(/[^\S\n]+/g, " ").replace(/ ?\n ?/g, "\n").replace(
    /\n{3,}/g,
    "\n\n",
  )
    .trim();
}

/** True for an element that is never shown. Scripts reveal pages that begin hidden as a whole. */
function isSilent(name: string, { hidden, style }: Record<string, string>): boolean {
  if (SILENT.has(name)) return true;
  if (name === "body" || name === "html") return false;
  const isHidden = hidden !== undefined && hidden.toLowerCase() !== "until-found";
  return isHidden || (style !== undefined && NOT_DISPLAYED.test(style));
}

const NOT_DISPLAYED = /(?:^|[;\s])display\s*:\s*none\b/i;
const CELL = /^t[dh]$/;
const BLANK_AFTER = /^(?:p|h[1-6]|ul|ol|table|section|article|title|pre|blockquote)$/;
