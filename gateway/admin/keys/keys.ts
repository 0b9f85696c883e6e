import { ServiceFault } from "../../domain/fault.ts";
import { type KeyRecord, serves } from "../../domain/policy/key.ts";
import { spendAt } from "../../domain/ledger/state.ts";
import type { KeyChange, KeyRefusal } from "../../flows/keys/key_ring.ts";
import { publicIdFrom } from "../../flows/keys/new_secret.ts";
import type { AnswerOf } from "../../admin_api/operations.ts";
import type { AdminDeps } from "../deps.ts";
import type { AdminCall, Handlers } from "../routes.ts";
import { requireWallet } from "../wallets/find_wallet.ts";
import {
  embeddingsJson,
  pinState,
  resetEmbeddingModel,
  setEmbeddingModel,
} from "./key_embeddings.ts";
import { budgetsJson, keyJson, spendJson } from "./key_json.ts";
import { keyListJson } from "./key_list.ts";
import { reachJson } from "./key_reach.ts";
import { linkState, signInLinkJson } from "./sign_in_link.ts";

type Key = AnswerOf<"POST /keys/{id}/disable">;

/** Handlers of keys; each shows the secret of a key once, when it creates the key. */
export function keyHandlers(deps: AdminDeps) {
  const { keyRing } = deps;
  return {
    "GET /keys": ({ query }) => keyListJson(query(), deps),
    "POST /keys": (call) => createKey(deps, call),
    "GET /keys/{id}": ({ path }) => showKey(deps, path.id),
    "POST /keys/{id}/narrow": async ({ path: { id }, body, entry }) =>
      changedJson(await keyRing.narrow(id, (await body()).policy, { entry: entry(keyJson) }), id),
    "POST /keys/{id}/rotate": (call) => rotateKey(deps, call),
    "POST /keys/{id}/content-log": async ({ path: { id }, body, entry }) =>
      changedJson(
        await keyRing.setContentLog(id, (await body()).on, { entry: entry(keyJson) }),
        id,
      ),
    "POST /keys/{id}/sign-in-link": async ({ path: { id }, entry }) =>
      signInLinkJson(await requireKey(deps, id), deps, { entry: entry(linkState) }),
    "POST /keys/{id}/embedding-model": async ({ path: { id }, body, entry }) =>
      setEmbeddingModel(deps, await requireKey(deps, id), {
        ...await body(),
        entry: entry(pinState),
      }),
    "DELETE /keys/{id}/embedding-model": async ({ path: { id }, entry }) =>
      resetEmbeddingModel(deps, await requireKey(deps, id), { entry: entry(pinState) }),
    "POST /keys/{id}/disable": async ({ path: { id }, entry }) =>
      changedJson(await keyRing.disable(id, { entry: entry(keyJson) }), id),
    "POST /keys/{id}/enable": async ({ path: { id }, entry }) =>
      changedJson(await keyRing.enable(id, { entry: entry(keyJson) }), id),
    "POST /keys/{id}/revoke": async ({ path: { id }, entry }) =>
      changedJson(await keyRing.revoke(id, { entry: entry(keyJson) }), id),
  } satisfies Partial<Handlers>;
}

async function createKey(
  deps: AdminDeps,
  { body, entry }: AdminCall<"POST /keys">,
): Promise<AnswerOf<"POST /keys">> {
  const { name, wallet, policy, opId } = await body();
  await requireWallet(deps, wallet);
  const publicId = publicIdOf(opId);
  const request = { name, walletId: wallet, policy, publicId };
  const issued = await deps.keyRing.issue(request, { entry: entry(keyJson) });
  if (!issued.ok) throw issueFault(issued.refusal, { id: name, publicId });
  return { key: issued.key, ...keyJson(issued.record) };
}

async function showKey(deps: AdminDeps, id: string): Promise<AnswerOf<"GET /keys/{id}">> {
  const record = await requireKey(deps, id);
  const keyId = record.budgetId ?? id;
  // A window that has passed since the last use counts nothing.
  const spend = spendAt(await deps.ledger.keySpend(keyId), { keyId, atMs: deps.clock.nowMs() });
  return {
    ...keyJson(record),
    spend: spendJson(spend),
    budgets: budgetsJson(record.policy, spend),
    embeddings: await embeddingsJson(deps, record),
    reach: await reachJson(deps, record),
  };
}

async function requireKey({ keys }: AdminDeps, id: string): Promise<KeyRecord> {
  const record = await keys.get(id);
  if (record === undefined) throw keyFault({ code: "key_not_found" }, id);
  return record;
}

async function rotateKey(
  deps: AdminDeps,
  { path: { id }, body, entry }: AdminCall<"POST /keys/{id}/rotate">,
): Promise<AnswerOf<"POST /keys/{id}/rotate">> {
  const { name, policy, opId } = await body();
  const publicId = publicIdOf(opId);
  const changes = { name, policy, publicId, entry: entry(keyJson) };
  const issued = await deps.keyRing.rotate(id, changes);
  if (!issued.ok) throw issueFault(issued.refusal, { id, publicId });
  const nowMs = deps.clock.nowMs();
  const otherCopies: string[] = [];
  for await (const copy of deps.keys.copiesOf(id)) {
    if (copy.id !== issued.record.id && serves(copy, nowMs)) otherCopies.push(copy.id);
  }
  return { key: issued.key, ...keyJson(issued.record), otherCopies };
}

function changedJson(change: KeyChange, id: string): Key {
  if (change.ok) return keyJson(change.record);
  throw keyFault(change.refusal, id);
}

/** Returns the public id that an operation id leads to, so that repeating it creates no second key. */
function publicIdOf(opId: string | undefined): string | undefined {
  return opId === undefined ? undefined : publicIdFrom(`key ${opId}`);
}

function issueFault(
  refusal: KeyRefusal,
  { id, publicId }: { id: string; publicId: string | undefined },
): ServiceFault {
  if (refusal.code !== "key_taken" || publicId === undefined) return keyFault(refusal, id);
  return new ServiceFault("conflict", {
    message: `Key "key_${publicId}" was made by this already, and a key is shown once only; ` +
      "where it was lost, revoke it and make another",
    param: "opId",
  });
}

/** Returns the fault for a refused change of a key. */
export function keyFault(refusal: KeyRefusal, id: string): ServiceFault {
  switch (refusal.code) {
    case "key_not_found":
      return new ServiceFault("not_found", { message: `There is no key "${id}"` });
    case "key_revoked":
      return new ServiceFault("conflict", {
        message: `Key "${id}" is revoked for good; create a new one`,
      });
    case "key_disabled":
      return new ServiceFault("conflict", {
        message: `Key "${id}" is disabled and its copy would serve; enable it first`,
      });
    case "key_expired":
      return new ServiceFault("conflict", {
        message: `Key "${id}" has expired, and so would its copy; create a new one`,
      });
    case "policy_looser":
      return new ServiceFault("invalid_request", {
        message: `The policy may not allow more than before: ${refusal.violations.join(", ")}`,
        param: `policy.${refusal.violations[0]}`,
      });
    default:
      return new ServiceFault("conflict", { message: "This key exists already; try again" });
  }
}
