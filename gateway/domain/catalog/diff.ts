import type { CatalogContent } from "./catalog.ts";

/** One difference between two catalogs, as values for people and for JSON. */
export interface CatalogChange {
  /** Where: `models.fast-mini.price.inputPerMTok`. Lists of things with ids are addressed by id. */
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  /** Absent where it was added. */
  readonly before?: unknown;
  /** Absent where it was removed. */
  readonly after?: unknown;
}

/** Stands for a key: that it changed may be seen, what it is may not. */
export const HIDDEN = "(hidden)";

const FIELDS = [
  "upstreams",
  "models",
  "tiers",
  "scoring",
  "search",
  "vectorStores",
  "limits",
] as const;

/** Differences from one catalog to another, in the order of the fields; none where they are equal. */
export function diffCatalog(before: CatalogContent, after: CatalogContent): CatalogChange[] {
  const changes: CatalogChange[] = [];
  for (const field of FIELDS) {
    compare(before[field], after[field], field, changes);
  }
  const [ranksBefore, ranksAfter] = [ranksOf(before, after), ranksOf(after, before)];
  if (ranksBefore.join() !== ranksAfter.join()) {
    changes.push({ path: "tiers", kind: "changed", before: ranksBefore, after: ranksAfter });
  }
  return changes;
}

/** Ids of the tiers that both have, low to high: their order is a meaning of its own. */
function ranksOf(catalog: CatalogContent, other: CatalogContent): string[] {
  const common = new Set(other.tiers.map((tier) => tier.id));
  return catalog.tiers.map((tier) => tier.id).filter((id) => common.has(id));
}

function compare(before: unknown, after: unknown, path: string, changes: CatalogChange[]): void {
  if (before === undefined && after === undefined) return;
  if (before === undefined) {
    changes.push({ path, kind: "added", after: shown(after, path) });
  } else if (after === undefined) {
    changes.push({ path, kind: "removed", before: shown(before, path) });
  } else if (isBranch(before) && isBranch(after)) {
    const [left, right] = [childrenOf(before), childrenOf(after)];
    for (const name of new Set([...left.keys(), ...right.keys()])) {
      compare(left.get(name), right.get(name), `${path}.${name}`, changes);
    }
  } else if (JSON.stringify(before) !== JSON.stringify(after)) {
    changes.push({
      path,
      kind: "changed",
      before: shown(before, path),
      after: shown(after, path),
    });
  }
}

/** Objects, and lists of things with ids, are looked into; other lists are values. */
function isBranch(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return !Array.isArray(value) ||
    value.every((item) => idOf(item) !== undefined);
}

function childrenOf(branch: object): ReadonlyMap<string, unknown> {
  if (!Array.isArray(branch)) return new Map(Object.entries(branch));
  return new Map(branch.map((item: unknown) => [idOf(item) ?? "", item]));
}

function idOf(item: unknown): string | undefined {
  if (typeof item !== "object" || item === null || !("id" in item)) return undefined;
  return typeof item.id === "string" ? item.id : undefined;
}

function shown(value: unknown, path: string): unknown {
  if (path.endsWith(".apiKey")) return HIDDEN;
  if (typeof value !== "object" || value === null || !("apiKey" in value)) return value;
  return value.apiKey === undefined ? value : { ...value, apiKey: HIDDEN };
}
