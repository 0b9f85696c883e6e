/** Longer words are compared by their beginnings. */
const COMPARED_LENGTH = 64;

/**
 * Returns the name with the fewest edits from the given one, the first of equals; `undefined` where
 * the edits exceed a third of the word.
 */
export function nearestName(text: string, names: readonly string[]): string | undefined {
  const word = text.slice(0, COMPARED_LENGTH).toLowerCase();
  let nearest: string | undefined;
  let fewest = Infinity;
  for (const name of names) {
    const edits = editDistance(word, name.toLowerCase());
    const isNear = edits * 3 <= Math.max(word.length, name.length);
    if (isNear && edits < fewest) [nearest, fewest] = [name, edits];
  }
  return nearest;
}

/**
 * Returns the number of insertions, deletions, substitutions and swaps of neighbours between two
 * words.
 */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(substitute, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
