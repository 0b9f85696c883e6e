import { isJsonObject } from "@svc/tools/json";

/**
 * Returns the sum of several objects of counts, by name and in nested objects. A value that is no
 * count is taken from the last object. `undefined` for none.
 */
export function addCounts<Counts extends object>(
  all: readonly (Counts | null | undefined)[],
): Counts | undefined {
  return all.reduce<Counts | undefined>(
    (sum, counts) => sum === undefined ? counts ?? undefined : added(sum, counts),
    undefined,
  );
}

function added<Counts extends object>(a: Counts, b: Counts | null | undefined): Counts {
  const before = new Map<string, unknown>(Object.entries(a));
  const sums = Object.entries(b ?? {}).map(([name, count]) => [
    name,
    sumOf(before.get(name), count),
  ]);
  return { ...a, ...Object.fromEntries(sums) };
}

function sumOf(a: unknown, b: unknown): unknown {
  if (typeof a === "number" && typeof b === "number") return a + b;
  return isJsonObject(a) && isJsonObject(b) ? added(a, b) : b ?? a;
}
