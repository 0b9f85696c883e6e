/**
 * Problems of one model of a catalog, by the price list and by its upstream's list of models.
 *
 * @module
 */

import { type ListedModel, listPrice, PRICE_LIST } from "../../config/list_price.ts";
import { priceSourceOf } from "../../config/price_source.ts";
import { embedsOnly, type Model, type UpstreamConfig } from "../../domain/catalog/catalog.ts";
import { parseDecimal } from "../../domain/ledger/money.ts";
import { freezePrice, type Price, PRICE_PLACES } from "../../domain/ledger/pricing.ts";
import { listHas, type UpstreamFinding } from "./model_list.ts";

/** Age from which the price list is too old to rely on, in days. */
export const PRICE_LIST_MAX_DAYS = 180;
const DAY_MS = 86_400_000;

/** A problem of a model. */
export interface Problem {
  readonly kind: "unpriced" | "unreachable" | "stale";
  /** `price`: differs from the list; `gone`: deprecated, or not listed by its upstream. */
  readonly cause: "price" | "gone" | "upstream";
  readonly message: string;
}

/** Result of the check for one model. */
export interface ModelVerdict {
  readonly id: string;
  readonly upstream: string;
  readonly upstreamModel: string;
  /** The most serious of its problems; `ok` also for a disabled model. */
  readonly status: "ok" | Problem["kind"];
  /**
   * `list`: today's list price; `own`: not in the list, or by image; `differs`: from the list's.
   */
  readonly price: "list" | "own" | "differs" | "free" | "none";
  /** Name of the model in the price list. */
  readonly priceEntry: string | null;
  /** True when its upstream lists it; `null` where that is unknown. */
  readonly listed: boolean | null;
  readonly problems: readonly Problem[];
  /** Facts that are worth knowing but no problems. */
  readonly notes: readonly string[];
}

/** Facts that a model is judged by. */
export interface VerdictContext {
  readonly upstream: UpstreamConfig | undefined;
  /** Absent where the upstream was not asked. */
  readonly finding: UpstreamFinding | undefined;
  readonly nowMs: number;
  /** Tolerated difference from the list price, in percent. */
  readonly tolerance: number;
}

const GRAVITY = ["unpriced", "unreachable", "stale"] as const;

/** Judges one model. */
export async function verdictOf(model: Model, context: VerdictContext): Promise<ModelVerdict> {
  const { id, upstream, upstreamModel } = model;
  const { finding, nowMs, tolerance } = context;
  const source = { ...priceSourceOf(context.upstream, nowMs), embeds: embedsOnly(model) };
  const listed = await listPrice(upstreamModel, source);
  const priced = judgePrice(model.price, listed, tolerance);
  const reached = judgeReach(model, finding);
  const problems = model.disabled ? [] : [...priced.problems, ...reached.problems];
  return {
    id,
    upstream,
    upstreamModel,
    status: GRAVITY.find((kind) => problems.some((problem) => problem.kind === kind)) ?? "ok",
    price: priced.price,
    priceEntry: listed?.entry ?? null,
    listed: reached.listed,
    problems,
    notes: [...model.disabled ? ["It is disabled in the catalog"] : [], ...reached.notes],
  };
}

/**
 * Returns the age of the price list; it counts as old only where a model's price is from the list.
 */
export function listAge(nowMs: number, models: readonly ModelVerdict[]) {
  const ageDays = Math.max(0, Math.floor((nowMs - Date.parse(PRICE_LIST.publishedAt)) / DAY_MS));
  const used = models.some(({ price }) => price === "list" || price === "differs");
  return { ...PRICE_LIST, ageDays, old: used && ageDays > PRICE_LIST_MAX_DAYS };
}

function judgePrice(
  own: Price,
  listed: ListedModel | undefined,
  tolerance: number,
): Pick<ModelVerdict, "price" | "problems"> {
  const frozen = freezePrice(own, "1", { version: 1 });
  if (frozen === undefined) {
    const message = "Its price cannot be charged: it is no decimal number of dollars";
    return { price: "none", problems: [{ kind: "unpriced", cause: "price", message }] };
  }
  const problems: Problem[] = [];
  if (listed?.deprecated) {
    const message = `The price list marks "${listed.entry}" as deprecated`;
    problems.push({ kind: "stale", cause: "gone", message });
  }
  const free = [frozen.input, frozen.output, frozen.image].every((units) => units === 0n);
  if (listed === undefined || frozen.image > 0n) return { price: free ? "free" : "own", problems };
  const message = difference(own, listed, tolerance);
  if (message === undefined) return { price: "list", problems };
  return { price: "differs", problems: [...problems, { kind: "stale", cause: "price", message }] };
}

const COMPARED = [
  ["inputPerMTok", "Input"],
  ["outputPerMTok", "Output"],
  ["cachedInputPerMTok", "Cached input"],
  ["cacheWriteInputPerMTok", "Input written to the cache"],
  ["imageInputPerMTok", "Image input"],
] as const;

/** Returns the first price whose difference from the list's is not tolerated. */
function difference(
  own: Price,
  { entry, price }: ListedModel,
  tolerance: number,
): string | undefined {
  for (const [field, name] of COMPARED) {
    const here = parseDecimal(own[field] ?? "", PRICE_PLACES);
    const there = parseDecimal(price[field] ?? "", PRICE_PLACES);
    if (here === undefined || there === undefined) continue;
    const gap = here < there ? there - here : here - there;
    if (gap * 100n <= there * BigInt(tolerance)) continue;
    return `${name} costs $${own[field]} per million tokens; the price list says ` +
      `$${price[field]} for "${entry}"`;
  }
  return undefined;
}

function judgeReach(
  { upstreamModel, upstream }: Model,
  finding: UpstreamFinding | undefined,
): Pick<ModelVerdict, "listed" | "problems" | "notes"> {
  if (finding === undefined) return { listed: null, problems: [], notes: [] };
  const { status, models, reason } = finding;
  if (status === "listed") {
    const listed = listHas(models, upstreamModel);
    const message = `Upstream "${upstream}" does not list "${upstreamModel}"`;
    const problems = listed ? [] : [{ kind: "stale", cause: "gone", message } as const];
    return { listed, problems, notes: [] };
  }
  if (status === "unlisted") {
    const note = `Upstream "${upstream}" does not list models, so it was not seen`;
    return { listed: null, problems: [], notes: [note] };
  }
  const message = reason ?? `Upstream "${upstream}" cannot be asked`;
  return {
    listed: null,
    problems: [{ kind: "unreachable", cause: "upstream", message }],
    notes: [],
  };
}
