import { Parser } from "htmlparser2";
import { MAX_HTML_DEPTH } from "./limits.ts";
import { UnreadableFile } from "./unreadable_file.ts";

/** Elements whose content nobody reads. */
const SILENT = new Set([
  "script",
  "style",
  "template",
  "noscript",
  "svg",
  "math",
  "iframe",
  "head",
]);
/** Elements that stand within a line. */
const INLINE = new Set(
  ("a abbr b bdi bdo cite code data dfn em font i kbd label mark q s samp small span strong sub sup " +
    "time tt u var wbr").split(" "),
);

/**
 * The text of an HTML page: its title and what a reader sees, a line for each block. Nothing is
 * loaded and nothing is run.
 */
export function htmlText(html: string): string {
  const pieces: string[] = [];
  // Inside elements that are never shown, the title excepted.
  let silent = 0;
  let titles = 0;
  let depth = 0;
  const endLine = () => {
    if (pieces.at(-1)?.endsWith("\n") === false) pieces.push("\n");
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      // The parser's own work grows with the depth.
      if (++depth > MAX_HTML_DEPTH) throw new UnreadableFile("its elements are nested too deep");
      if (SILENT.has(name)) silent++;
      else if (name === "title") titles++;
      else if (name === "img" && silent === 0) pieces.push(` ${attributes.alt ?? ""} `);
      if (CELL.test(name)) pieces.push(" ");
      else if (!INLINE.has(name)) endLine();
    },
    ontext(text) {
      if (silent === 0 || titles > 0) pieces.push(text.replace(/\s+/g, " "));
    },
    onclosetag(name) {
      depth--;
      if (SILENT.has(name)) silent--;
      else if (name === "title") titles--;
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

const CELL = /^t[dh]$/;
const BLANK_AFTER = /^(?:p|h[1-6]|ul|ol|table|section|article|title|pre|blockquote)$/;
