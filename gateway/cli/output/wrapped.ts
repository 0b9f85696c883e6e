import { displayWidth } from "./table.ts";

const INDENT = "  ";

/** A text as lines no wider than the page, broken at spaces, all but the first indented. */
export function wrapped(text: string, width: number): string {
  const lines: string[] = [];
  // Text of upstreams may hold anything: on a terminal it must stay text.
  for (const word of text.replace(/\p{C}/gu, " ").split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(word);
    else if (displayWidth(last) + 1 + displayWidth(word) <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(`${INDENT}${word}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}
