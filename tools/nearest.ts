/**
 * Returns the number of edits that turn one text into another: characters added, removed or
 * replaced.
 */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [above, letter] of [...one].entries()) {
    const next = [above + 1];
    for (let index = 0; index < other.length; index++) {
      const replaced = (row[index] ?? 0) + (letter === other[index] ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** Returns the most similar name when at most a third of its characters differ. */
export function nearest(text: string, names: Iterable<string>): string | undefined {
  if (text.length > 64) return undefined;
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const name of names) {
    const edits = distance(text.toLowerCase(), name.toLowerCase());
    if (edits <= name.length / 3 && (best === undefined || edits < best.edits)) {
      best = { name, edits };
    }
  }
  return best?.name;
}
