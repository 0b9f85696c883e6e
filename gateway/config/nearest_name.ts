/** The name that the fewest edits turn the given one into; the first of equals. */
export function nearestName(given: string, names: readonly string[]): string {
  let nearest = names[0] ?? "";
  let fewest = Infinity;
  for (const name of names) {
    const edits = editDistance(given.slice(0, 64).toLowerCase(), name.toLowerCase());
    if (edits < fewest) [nearest, fewest] = [name, edits];
  }
  return nearest;
}

/** Insertions, deletions and substitutions between two words. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitute, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
