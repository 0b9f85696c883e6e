import type { CatalogContent } from "./catalog.ts";

/** One difference between two catalogs. */
export interface CatalogChange {
  /**
   * Path, as `models.fast-mini.price.inputPerMTok`. Elements of lists are addressed by their id.
   */
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  /** Absent for an addition. */
  readonly before?: unknown;
  /** Absent for a removal. */
  readonly after?: unknown;
}

/** Replacement for a secret: a difference shows that it changed and hides its value. */
export const HIDDEN = "(hidden)";

const FIELDS = [
  "upstreams",
  "models",
  "tiers",
  "auto",
  "search",
  "vectorStores",
  "limits",
] as const;

/** Returns the differences between two catalogs, in the order of the fields. */
export function diffCatalog(before: CatalogContent, after: CatalogContent): CatalogChange[] {
  const changes: CatalogChange[] = [];
  for (const field of FIELDS) compare(before[field], after[field], field, changes);
  const [ranksBefore, ranksAfter] = [ranksOf(before, after), ranksOf(after, before)];
  if (ranksBefore.join() !== ranksAfter.join()) {
    changes.push({ path: "tiers", kind: "changed", before: ranksBefore, after: ranksAfter });
  }
  return changes;
}

/**
 * Returns the ids of the tiers that both catalogs have, low to high: a change of their order is a
 * difference.
 */
function ranksOf(catalog: CatalogContent, other: CatalogContent): string[] {
  const common = new Set(other.tiers.map((tier) => tier.id));
  return catalog.tiers.map((tier) => tier.id).filter((id) => common.has(id));
}

function compare(before: unknown, after: unknown, path: string, changes: CatalogChange[]): void {
  if (before === undefined && after === undefined) return;
  if (before === undefined) {
    changes.push({ path, kind: "added", after: withoutSecrets(after, path) });
  } else if (after === undefined) {
    changes.push({ path, kind: "removed", before: withoutSecrets(before, path) });
  } else if (isBranch(before) && isBranch(after)) {
    const [old, current] = [childrenOf(before), childrenOf(after)];
    for (const name of new Set([...old.keys(), ...current.keys()])) {
      compare(old.get(name), current.get(name), `${path}.${name}`, changes);
    }
  } else if (JSON.stringify(before) !== JSON.stringify(after)) {
    changes.push({
      path,
      kind: "changed",
      before: withoutSecrets(before, path),
      after: withoutSecrets(after, path),
    });
  }
}

/**
 * True for objects and lists of objects with ids, which are compared by member; other lists are
 * values.
 */
function isBranch(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return !Array.isArray(value) || value.every((item) => idOf(item) !== undefined);
}

function childrenOf(branch: object): ReadonlyMap<string, unknown> {
  if (!Array.isArray(branch)) return new Map(Object.entries(branch));
  return new Map(branch.map((item: unknown) => [idOf(item) ?? "", item]));
}

function idOf(item: unknown): string | undefined {
  if (typeof item !== "object" || item === null || !("id" in item)) return undefined;
  return typeof item.id === "string" ? item.id : undefined;
}

function withoutSecrets(value: unknown, path: string): unknown {
  if (path.endsWith(".apiKey")) return HIDDEN;
  if (typeof value !== "object" || value === null || !("apiKey" in value)) return value;
  return value.apiKey === undefined ? value : { ...value, apiKey: HIDDEN };
}
