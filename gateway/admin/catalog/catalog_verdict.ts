/**
 * What is wrong with one model of a catalog, from the price list and from its upstream's list.
 *
 * @module
 */

import { type ListedModel, listPrice, PRICE_LIST } from "../../config/list_price.ts";
import { priceSourceOf } from "../../config/price_source.ts";
import type { Model, UpstreamConfig } from "../../domain/catalog/catalog.ts";
import { parseDecimal } from "../../domain/ledger/money.ts";
import { freezePrice, type Price, PRICE_PLACES } from "../../domain/ledger/pricing.ts";
import { listHas, type UpstreamFinding } from "./model_list.ts";

/** Age at which the price list is too old to be believed, in days. */
export const PRICE_LIST_MAX_DAYS = 180;
const DAY_MS = 86_400_000;

/** Something that is wrong with a model. */
export interface Problem {
  readonly kind: "unpriced" | "unreachable" | "stale";
  /** `price`: other than the list's; `gone`: deprecated, or not listed by its upstream. */
  readonly cause: "price" | "gone" | "upstream";
  readonly message: string;
}

/** What the check came to for one model. */
export interface ModelVerdict {
  readonly id: string;
  readonly upstream: string;
  readonly upstreamModel: string;
  /** The gravest of its problems; `ok` also where it is taken out of routing. */
  readonly status: "ok" | Problem["kind"];
  /** `list`: today's list price; `own`: not in the list, or by image; `differs`: from the list's. */
  readonly price: "list" | "own" | "differs" | "free" | "none";
  /** The price list's name of it. */
  readonly priceEntry: string | null;
  /** Whether its upstream lists it; `null` where that cannot be said. */
  readonly listed: boolean | null;
  readonly problems: readonly Problem[];
  /** What is worth knowing and not wrong. */
  readonly notes: readonly string[];
}

/** What a model is judged by. */
export interface VerdictContext {
  readonly upstream: UpstreamConfig | undefined;
  /** Absent where the upstream was not asked. */
  readonly finding: UpstreamFinding | undefined;
  readonly nowMs: number;
  /** Difference from the list price that is let pass, in percent. */
  readonly tolerance: number;
}

const GRAVITY = ["unpriced", "unreachable", "stale"] as const;

/** Judges one model. */
export async function verdictOf(model: Model, context: VerdictContext): Promise<ModelVerdict> {
  const { id, upstream, upstreamModel } = model;
  const { finding, nowMs, tolerance } = context;
  const listed = await listPrice(upstreamModel, priceSourceOf(context.upstream, nowMs));
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

/** How old the price list is; too old matters where a model's price rests on it. */
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

/** The first price that is further from the list's than is let pass. */
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
