import { ServiceFault } from "../../domain/fault.ts";
import { type KeyRecord, serves } from "../../domain/policy/key.ts";
import { spendAt } from "../../domain/ledger/state.ts";
import type { KeyChange, KeyRefusal } from "../../flows/keys/key_ring.ts";
import { publicIdFrom } from "../../flows/keys/new_secret.ts";
import type { AnswerOf, CheckedBodyOf } from "../../admin_api/operations.ts";
import type { AdminDeps } from "../deps.ts";
import type { Handlers } from "../routes.ts";
import { requireWallet } from "../wallets/find_wallet.ts";
import { embeddingsJson, resetEmbeddingModel, setEmbeddingModel } from "./key_embeddings.ts";
import { budgetsJson, keyJson, spendJson } from "./key_json.ts";
import { keyListJson } from "./key_list.ts";
import { reachJson } from "./key_reach.ts";
import { signInLinkJson } from "./sign_in_link.ts";

type Key = AnswerOf<"POST /keys/{id}/disable">;

/** Handlers of keys; each shows the secret of a key once, when it creates the key. */
export function keyHandlers(deps: AdminDeps) {
  const { keyRing } = deps;
  return {
    "GET /keys": ({ query }) => keyListJson(query(), deps),
    "POST /keys": async ({ body }) => createKey(deps, await body()),
    "GET /keys/{id}": ({ path }) => showKey(deps, path.id),
    "POST /keys/{id}/narrow": async ({ path: { id }, body }) =>
      changedJson(await keyRing.narrow(id, (await body()).policy), id),
    "POST /keys/{id}/rotate": async ({ path, body }) => rotateKey(deps, path.id, await body()),
    "POST /keys/{id}/content-log": async ({ path: { id }, body }) =>
      changedJson(await keyRing.setContentLog(id, (await body()).on), id),
    "POST /keys/{id}/sign-in-link": async ({ path: { id } }) => {
      const record = await deps.keys.get(id);
      if (record === undefined) throw keyFault({ code: "key_not_found" }, id);
      return await signInLinkJson(record, deps);
    },
    "POST /keys/{id}/embedding-model": async ({ path: { id }, body }) =>
      setEmbeddingModel(deps, await requireKey(deps, id), await body()),
    "DELETE /keys/{id}/embedding-model": async ({ path: { id } }) =>
      resetEmbeddingModel(deps, await requireKey(deps, id)),
    "POST /keys/{id}/disable": async ({ path: { id } }) =>
      changedJson(await keyRing.disable(id), id),
    "POST /keys/{id}/enable": async ({ path: { id } }) => changedJson(await keyRing.enable(id), id),
    "POST /keys/{id}/revoke": async ({ path: { id } }) => changedJson(await keyRing.revoke(id), id),
  } satisfies Partial<Handlers>;
}

async function createKey(
  deps: AdminDeps,
  { name, wallet, policy, opId }: CheckedBodyOf<"POST /keys">,
): Promise<AnswerOf<"POST /keys">> {
  await requireWallet(deps, wallet);
  const publicId = publicIdOf(opId);
  const issued = await deps.keyRing.issue({ name, walletId: wallet, policy, publicId });
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
  id: string,
  { name, policy, opId }: CheckedBodyOf<"POST /keys/{id}/rotate">,
): Promise<AnswerOf<"POST /keys/{id}/rotate">> {
  const publicId = publicIdOf(opId);
  const issued = await deps.keyRing.rotate(id, { name, policy, publicId });
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
