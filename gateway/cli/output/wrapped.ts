import { displayWidth } from "./table.ts";

const INDENT = "  ";

/** Wraps a text at spaces to the width of the page; all lines but the first are indented. */
export function wrapped(text: string, width: number): string {
  const lines: string[] = [];
  // Text of upstreams may contain control characters.
  for (const word of text.replace(/\p{C}/gu, " ").split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(word);
    else if (displayWidth(last) + 1 + displayWidth(word) <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(`${INDENT}${word}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}
