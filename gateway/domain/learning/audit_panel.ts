/**
 * The models that an audit asks.
 *
 * @module
 */

import type { Candidate } from "../routing/plan.ts";

/** Maximum models of a panel beside the best one. */
export const PANEL_CHEAP_MAX = 4;
/** Price beside the best model's up to which a model counts as cheap. */
const CHEAP_SHARE = 0.5;

/** The models of one audit. */
export interface AuditPanel {
  /** The allowed model with the highest estimate; of equals, the cheapest. */
  readonly best: Candidate;
  /**
   * At most {@linkcode PANEL_CHEAP_MAX} models: first the one that served, at any price, then those
   * that cost at most half as much and are on the frontier: no model that is as cheap has a higher
   * quality by the catalog.
   */
  readonly cheap: readonly Candidate[];
}

/**
 * Returns the panel for a request that was served; `undefined` when no other model could have served
 * it. Ladders of verified answers need the answers of several cheap models to the same request, and
 * these cost little beside the best model's.
 */
export function auditPanel(
  candidates: readonly Candidate[],
  served: string,
): AuditPanel | undefined {
  const best =
    candidates.toSorted((one, other) =>
      other.ranking.estimate.p - one.ranking.estimate.p || one.ranking.price - other.ranking.price
    )[0];
  if (best === undefined) return undefined;
  const others = candidates.filter((candidate) => candidate !== best);
  const affordable = others.filter(({ ranking }) =>
    ranking.price <= CHEAP_SHARE * best.ranking.price
  );
  const frontier = affordable.filter((candidate) =>
    !affordable.some((other) => other !== candidate && dominates(other, candidate))
  );
  const answered = others.filter(({ model }) => model.id === served);
  const ordered = frontier.filter(({ model }) => model.id !== served)
    .toSorted((one, other) => other.model.quality - one.model.quality);
  const cheap = [...answered, ...ordered].slice(0, PANEL_CHEAP_MAX);
  return cheap.length === 0 ? undefined : { best, cheap };
}

function dominates(one: Candidate, other: Candidate): boolean {
  const [price, quality] = [one.ranking.price - other.ranking.price, one.model.quality];
  if (price > 0 || quality < other.model.quality) return false;
  return price < 0 || quality > other.model.quality || one.model.id < other.model.id;
}
