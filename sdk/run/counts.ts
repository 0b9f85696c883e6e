import { isJsonObject } from "@svc/tools/json";

/**
 * The sum of several counts, each added to that of the same name, also where they stand in one
 * another. What is no count is the last one's. `undefined` where there is none.
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
