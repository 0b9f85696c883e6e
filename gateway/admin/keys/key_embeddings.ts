import type { AnswerOf, CheckedBodyOf } from "../../admin_api/operations.ts";
import { ServiceFault } from "../../domain/fault.ts";
import type { Noted } from "../../domain/operators/trail.ts";
import { type EmbeddingPin, pinInForce, pinLineOf } from "../../domain/policy/embedding_pin.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import type { PinChange } from "../../ports/embedding_pin_store.ts";
import type { AdminDeps } from "../deps.ts";
import { isoTime } from "../json_values.ts";

type Deps = Pick<AdminDeps, "embeddingPins" | "keys" | "catalogs" | "clock">;
type Answer = AnswerOf<"POST /keys/{id}/embedding-model">;

/** Attempts to change a pin while calls change it too. */
const TRIES_MAX = 8;

/** Returns the embedding model of a key; null before its first call. */
export async function embeddingsJson(
  { embeddingPins }: { readonly embeddingPins: Pick<Deps["embeddingPins"], "get"> },
  key: KeyRecord,
): Promise<Answer["embeddings"]> {
  const stored = await embeddingPins.get(pinLineOf(key));
  const pin = pinInForce(key, stored);
  if (pin === undefined) return null;
  const { model, dimensions = null, source } = pin;
  const since = stored?.model === model ? isoTime(stored.atMs) : null;
  return { model, dimensions, source, since };
}

/** Pins the model that an operator has chosen. */
export async function setEmbeddingModel(
  deps: Deps,
  key: KeyRecord,
  { model, dimensions, entry }:
    & CheckedBodyOf<"POST /keys/{id}/embedding-model">
    & Noted<EmbeddingPin>,
): Promise<Answer> {
  const { embeddings: fixed } = key.policy;
  // The policy's own model may be pinned again, after another one has taken its id.
  if (model !== fixed?.model || (dimensions ?? fixed.dimensions) !== fixed.dimensions) {
    refuseBeside(key);
  }
  const known = deps.catalogs.current().models.find(({ id }) => id === model);
  if (known?.endpoints.includes("embeddings") !== true) {
    throw new ServiceFault("invalid_request", {
      message: `The catalog has no model "${model}" with the endpoint "embeddings"`,
      param: "model",
    });
  }
  const lineId = pinLineOf(key);
  const atMs = deps.clock.nowMs();
  const { upstreamModel } = known;
  const to: EmbeddingPin = { lineId, model, dimensions, upstreamModel, source: "operator", atMs };
  await change(deps, lineId, { to, entry });
  return { id: key.id, embeddings: await embeddingsJson(deps, key) };
}

/** Removes the pin of a key. */
export async function resetEmbeddingModel(
  deps: Deps,
  key: KeyRecord,
  { entry }: Noted<EmbeddingPin>,
): Promise<Answer> {
  refuseBeside(key);
  await change(deps, pinLineOf(key), { to: undefined, entry });
  return { id: key.id, embeddings: await embeddingsJson(deps, key) };
}

/** Returns a pin as the audit log shows it. */
export function pinState({ model, dimensions, upstreamModel, source }: EmbeddingPin) {
  return { model, dimensions: dimensions ?? null, upstreamModel: upstreamModel ?? null, source };
}

/** Refuses a change that a policy would hide. */
function refuseBeside({ id, policy: { embeddings } }: KeyRecord): void {
  if (embeddings === undefined) return;
  throw new ServiceFault("conflict", {
    message:
      `The policy of key "${id}" pins the embedding model "${embeddings.model}"; it can be ` +
      "changed only with another key",
  });
}

async function change(
  { embeddingPins }: Pick<Deps, "embeddingPins">,
  lineId: string,
  { to, entry }: Omit<PinChange, "from">,
): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const from = await embeddingPins.get(lineId);
    if (await embeddingPins.replace(lineId, { from, to, entry })) return;
  }
  throw new ServiceFault("conflict", {
    message: "The embedding model of this key is being changed by its calls; try again",
  });
}
