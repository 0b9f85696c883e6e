/**
 * The embedding model of a key: as pinned, or chosen at the first call and pinned before its answer.
 *
 * @module
 */

import { ServiceFault } from "../../domain/fault.ts";
import { InvariantError } from "../../domain/invariant.ts";
import {
  type EmbeddingPin,
  isSamePin,
  pinInForce,
  pinLineOf,
  type PinSource,
} from "../../domain/policy/embedding_pin.ts";
import { DIMENSIONS_TAG } from "../../domain/requests/embedding_features.ts";
import type { RequestFeatures } from "../../domain/requests/features.ts";
import { chooseEmbeddingModel } from "../../domain/routing/embedding_choice.ts";
import type { CatalogStore } from "../../ports/catalog_store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EmbeddingPinStore } from "../../ports/embedding_pin_store.ts";
import type { LedgerStore } from "../../ports/ledger_store.ts";
import type { ActiveRequest } from "../request/active_request.ts";

/** Parts of the service that pins use. */
export interface PinDeps {
  readonly embeddingPins: Pick<EmbeddingPinStore, "get" | "replace">;
  readonly catalogs: Pick<CatalogStore, "current">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly ledger: Pick<LedgerStore, "wallet">;
}

/** The model that a call uses. */
export interface PinnedModel {
  /** Catalog id. */
  readonly model: string;
  /** Length that the vectors must have; absent where the answer decides it. */
  readonly dimensions: number | undefined;
  /** True when the upstream receives the length. */
  readonly sendsDimensions: boolean;
  readonly source: PinSource;
  /** The pin as it was read. */
  readonly stored: EmbeddingPin | undefined;
}

/**
 * Returns the model of a call and the features by which it is routed. Throws a {@linkcode ServiceFault}
 * if the pinned model is gone, if the caller asks for another length than the pinned one, or if no
 * model may be chosen.
 */
export async function pinnedModel(
  deps: PinDeps,
  active: ActiveRequest,
  { features, requested }: {
    readonly features: RequestFeatures;
    /** Length that the caller has asked for. */
    readonly requested: number | undefined;
  },
): Promise<{ readonly pinned: PinnedModel; readonly features: RequestFeatures }> {
  const { key } = active;
  const stored = await deps.embeddingPins.get(pinLineOf(key));
  const pin = pinInForce(key, stored);
  if (pin === undefined) {
    const model = await chosenModel(deps, active, features);
    return withModel(deps, features, {
      model,
      dimensions: requested,
      source: "first_call",
      stored,
    });
  }
  if (pin.dimensions !== undefined && requested !== undefined && requested !== pin.dimensions) {
    throw new ServiceFault("invalid_request", {
      message:
        `The vectors of this key have ${pin.dimensions} dimensions, not ${requested}: vectors ` +
        "of different lengths do not compare; leave dimensions out",
      param: "dimensions",
    });
  }
  requireServed(deps, pin);
  const { model, dimensions = requested, source } = pin;
  // A known length is the model's own, or one that it has given before.
  const needs = pin.dimensions === undefined
    ? features.needs
    : features.needs.filter((need) => need !== DIMENSIONS_TAG);
  return withModel(deps, { ...features, needs }, { model, dimensions, source, stored });
}

function withModel(
  { catalogs }: Pick<PinDeps, "catalogs">,
  features: RequestFeatures,
  pinned: Omit<PinnedModel, "sendsDimensions">,
): { readonly pinned: PinnedModel; readonly features: RequestFeatures } {
  const { model, dimensions } = pinned;
  const { featureTags = [] } = catalogs.current().models.find(({ id }) => id === model) ?? {};
  const sendsDimensions = dimensions !== undefined && featureTags.includes(DIMENSIONS_TAG);
  return { pinned: { ...pinned, sendsDimensions }, features: { ...features, onlyModel: model } };
}

/** Throws where the catalog no longer offers a pinned model for embeddings, or another under its id. */
function requireServed(
  { catalogs }: Pick<PinDeps, "catalogs">,
  { model, upstreamModel }: Pick<EmbeddingPin, "model" | "upstreamModel">,
): void {
  const known = catalogs.current().models.find(({ id }) => id === model);
  const isOffered = known?.endpoints.includes("embeddings") === true;
  if (isOffered && isSameUpstreamModel(upstreamModel, known.upstreamModel)) return;
  const [state, remedy] = isOffered
    ? ["is another model at its provider now", "pin it again, or another"]
    : ["is no longer offered", "pin another"];
  throw new ServiceFault("embedding_model_gone", {
    message: `The embedding model "${model}", which this key is pinned to, ${state}. ` +
      "No other model takes its place, because vectors of different models do not compare; ask " +
      `the operator to ${remedy}`,
  });
}

/** Pins of earlier versions do not know the name. */
function isSameUpstreamModel(pinned: string | undefined, present: string): boolean {
  return pinned === undefined || pinned === present;
}

async function chosenModel(
  { catalogs, clock, ledger }: PinDeps,
  active: ActiveRequest,
  features: RequestFeatures,
): Promise<string> {
  const { walletId, policy, id } = active.key;
  const wallet = await ledger.wallet(walletId);
  if (wallet === undefined) {
    throw new InvariantError(`Key "${id}" names the wallet "${walletId}", which is gone`);
  }
  const plan = chooseEmbeddingModel({
    ...{ catalog: catalogs.current(), features, policy, tier: wallet.tier, nowMs: clock.nowMs() },
    choice: active.identity.auto,
  });
  const model = plan.ok ? plan.candidates[0]?.model.id : undefined;
  if (plan.ok && model !== undefined) return model;
  active.report.notePlan(plan);
  if (plan.ok) throw new InvariantError("A plan of embeddings has no candidate");
  const { code, message, param } = plan;
  throw new ServiceFault(code, { message, param });
}

/**
 * Pins the model of an answer with the length of its vectors; resolves once that is durable. Returns
 * false if the pin, or the model under its id, was changed since it was read: then the answer must not
 * be given.
 */
export async function confirmPin(
  { embeddingPins, clock }: Pick<PinDeps, "embeddingPins" | "clock">,
  active: ActiveRequest,
  { pinned, dimensions, upstreamModel }: {
    readonly pinned: PinnedModel;
    readonly dimensions: number;
    /** Name of the model that answered, at its upstream. */
    readonly upstreamModel: string;
  },
): Promise<boolean> {
  const { model, source, stored } = pinned;
  if (isSamePin(stored, { model, dimensions, upstreamModel })) return true;
  const lineId = pinLineOf(active.key);
  // An operator's choice stays theirs when its length becomes known.
  const known = stored?.model === model ? stored : undefined;
  // The catalog was changed during the call.
  if (!isSameUpstreamModel(known?.upstreamModel, upstreamModel)) return false;
  const to: EmbeddingPin = {
    ...{ lineId, model, dimensions, upstreamModel, source, atMs: known?.atMs ?? clock.nowMs() },
  };
  return await embeddingPins.replace(lineId, { from: stored, to });
}
