import { isJsonObject } from "@svc/sdk/protocol";

/**
 * Two edits of one catalog made into one: what each changed since the version that both began with.
 *
 * @module
 */

/** The result of a merge. */
export interface Merged {
  readonly value: unknown;
  /** Paths that both changed, to different values: there the first edit's value stands. */
  readonly conflicts: readonly string[];
}

/**
 * Brings an edit of `base` to what `base` has become meanwhile. Objects are looked into, and lists whose
 * members all have ids, as the difference between catalogs does; any other list is a value.
 */
export function mergeEdits(base: unknown, mine: unknown, theirs: unknown, path = ""): Merged {
  if (isEqual(mine, base)) return { value: theirs, conflicts: [] };
  if (isEqual(theirs, base) || isEqual(mine, theirs)) return { value: mine, conflicts: [] };
  if (isList(mine) && isList(theirs)) {
    return mergeLists(isList(base) ? base : [], mine, theirs, path);
  }
  if (isTorn(base, mine, theirs)) return { value: mine, conflicts: [path] };
  if (isJsonObject(mine) && isJsonObject(theirs)) {
    return mergeObjects(isJsonObject(base) ? base : {}, mine, theirs, path);
  }
  return { value: mine, conflicts: [path] };
}

/** A key is for the address that it was written for: mine never goes to one that they chose. */
function isTorn(base: unknown, mine: unknown, theirs: unknown): boolean {
  if (!isJsonObject(mine) || !isJsonObject(theirs) || mine.apiKey === undefined) return false;
  const before = isJsonObject(base) ? base : {};
  return mine.apiKey !== before.apiKey && theirs.baseUrl !== before.baseUrl;
}

type CatalogEntry = Readonly<Record<string, unknown>> & { readonly id: string };

function mergeLists(
  base: readonly CatalogEntry[],
  mine: readonly CatalogEntry[],
  theirs: readonly CatalogEntry[],
  path: string,
): Merged {
  const merged = mergeObjects(byId(base), byId(mine), byId(theirs), path);
  const remaining = new Map(isJsonObject(merged.value) ? Object.entries(merged.value) : []);
  // The order of tiers has a meaning: mine where I changed it, else theirs; what is new comes last.
  const isMine = !isEqual(idsOf(mine), idsOf(base));
  const all = isMine ? [...mine, ...theirs] : [...theirs, ...mine];
  const order = [...new Set(idsOf(all))].filter((id) => remaining.has(id));
  const theirOrder = idsOf(theirs).filter((id) => remaining.has(id));
  const isKept = isEqual(order.filter((id) => theirOrder.includes(id)), theirOrder) ||
    isEqual(idsOf(theirs), idsOf(base));
  return {
    value: order.map((id) => remaining.get(id)),
    conflicts: isKept ? merged.conflicts : [...merged.conflicts, path],
  };
}

function idsOf(list: readonly CatalogEntry[]): string[] {
  return list.map(({ id }) => id);
}

function mergeObjects(
  base: Readonly<Record<string, unknown>>,
  mine: Readonly<Record<string, unknown>>,
  theirs: Readonly<Record<string, unknown>>,
  path: string,
): Merged {
  const [before, ours, right] = [base, mine, theirs].map((each) => new Map(Object.entries(each)));
  const conflicts: string[] = [];
  const entries: [string, unknown][] = [];
  for (const name of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
    const at = path === "" ? name : `${path}.${name}`;
    const merged = mergeEdits(before?.get(name), ours?.get(name), right?.get(name), at);
    conflicts.push(...merged.conflicts);
    if (merged.value !== undefined) entries.push([name, merged.value]);
  }
  return { value: Object.fromEntries(entries), conflicts };
}

function byId(list: readonly CatalogEntry[]): Record<string, unknown> {
  return Object.fromEntries(list.map((entry) => [entry.id, entry]));
}

function isList(value: unknown): value is readonly CatalogEntry[] {
  return Array.isArray(value) &&
    value.every((item: unknown) => isJsonObject(item) && typeof item.id === "string");
}

/** True when two values are equal, whatever the order of their members. */
function isEqual(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string | undefined {
  return JSON.stringify(
    value,
    (_name, part) =>
      isJsonObject(part)
        ? Object.fromEntries(Object.entries(part).sort(([x], [y]) => x < y ? -1 : 1))
        : part,
  );
}
