/** Parts of Markdown documents that the documentation tests check. */

/** A fenced block. */
export interface Block {
  /** The info string, for instance `sh` or `ts ignore`. */
  readonly language: string;
  readonly text: string;
}

const FENCE = /^```([^\n]*)\n([^]*?)^```[ \t]*$/gm;

/** Returns the fenced blocks of a document, in order. */
export function blocksOf(document: string): Block[] {
  return [...document.matchAll(FENCE)].map(([, language = "", text = ""]) => ({
    language: language.trim(),
    text,
  }));
}

/** Returns a document without its fenced blocks. */
export function proseOf(document: string): string {
  return document.replaceAll(FENCE, "");
}

/** Returns the targets of links and images, without code. */
export function linksOf(document: string): string[] {
  const prose = proseOf(document).replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = ""]) => target);
}

/** Returns the anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(document: string): Set<string> {
  const headings = proseOf(document).matchAll(/^#{1,6} +(.+?) *$/gm);
  const anchors = new Set<string>();
  for (const [, heading = ""] of headings) {
    const text = heading.replaceAll(/\]\([^)]*\)/g, "").toLowerCase();
    const slug = text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
    let anchor = slug;
    for (let number = 1; anchors.has(anchor); number++) anchor = `${slug}-${number}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Returns the paths of the repository that a text quotes; one with a placeholder is none. */
export function pathsIn(text: string): string[] {
  const start = "gateway|sdk|tools|tests|docs|ops|lint|links|\\.ci|\\.github";
  const pattern = new RegExp(`(?<![\\w/.@:…-])(?:${start})/(?:[\\w./<>*-]|\\{[^}]*\\})*`, "g");
  return [...text.matchAll(pattern)].map(([path]) => path.replace(/[.,]+$/, ""))
    .filter((path) => !/[<>*]/.test(path))
    .flatMap(alternatives);
}

/** Returns the paths that one with braces stands for, as a shell expands them. */
function alternatives(path: string): string[] {
  const [whole, before = "", names = "", after = ""] = /^(.*?)\{([^}]*)\}(.*)$/.exec(path) ?? [];
  if (whole === undefined) return [path];
  return names.split(",").flatMap((name) => alternatives(`${before}${name}${after}`));
}
