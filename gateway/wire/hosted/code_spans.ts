/** The opening or closing line of a block: up to three spaces, then the fence. */
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** Returns the code in a Markdown text: fenced blocks, and spans between backticks on one line. */
export function codeSpans(text: string): readonly (readonly [number, number])[] {
  const spans: (readonly [number, number])[] = [];
  let block: { readonly start: number; readonly fence: string } | undefined;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    const [, fence = "", rest = ""] = FENCE.exec(line) ?? [];
    if (block !== undefined) {
      if (fence.startsWith(block.fence) && rest.trim() === "") {
        spans.push([block.start, end]);
        block = undefined;
      }
    } else if (fence !== "" && !(fence.startsWith("`") && rest.includes("`"))) {
      block = { start, fence };
    } else if (line.includes("`")) {
      for (const [from, to] of inlineSpans(line)) spans.push([start + from, start + to]);
    }
    start = end + 1;
  }
  if (block !== undefined) spans.push([block.start, text.length]);
  return spans;
}

/** A run of backticks is closed by the next run of the same length; without one it is text. */
function inlineSpans(line: string): (readonly [number, number])[] {
  const runs = [...line.matchAll(/`+/g)].map((run) => ({ at: run.index, length: run[0].length }));
  const closings = new Map<number, number>();
  const closedBy: (number | undefined)[] = [];
  for (const [index, { length }] of [...runs.entries()].reverse()) {
    closedBy[index] = closings.get(length);
    closings.set(length, index);
  }
  const spans: (readonly [number, number])[] = [];
  for (let index = 0; index < runs.length; index++) {
    const [opening, closing] = [runs[index], runs[closedBy[index] ?? -1]];
    if (opening === undefined || closing === undefined) continue;
    spans.push([opening.at, closing.at + closing.length]);
    index = closedBy[index] ?? index;
  }
  return spans;
}
