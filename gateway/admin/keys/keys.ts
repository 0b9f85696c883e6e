import { ServiceFault } from "../../domain/fault.ts";
import { type KeyRecord, serves } from "../../domain/policy/key.ts";
import type { KeySpend } from "../../domain/ledger/ledger.ts";
import { spendAt } from "../../domain/ledger/state.ts";
import { formatCredits } from "../../domain/ledger/money.ts";
import type { KeyChange, KeyRefusal } from "../../flows/keys/key_ring.ts";
import { publicIdFrom } from "../../flows/keys/new_secret.ts";
import { standsUnder } from "../../flows/keys/peppers.ts";
import type { AdminApp, AdminContext, AdminDeps } from "../deps.ts";
import { reachJson } from "./key_reach.ts";
import { suggestion } from "../../config/suggestion.ts";
import { unknownNames } from "../../admin_api/schemas/policy.ts";
import type { Answer } from "../../admin_api/answers/answer.ts";
import type { keyAnswer } from "../../admin_api/answers/keys.ts";
import { readBody } from "../request_body.ts";
import { resource, segment } from "../resource.ts";
import { contentLog, narrowing, newKey, rotation } from "../../admin_api/schemas/keys.ts";

/** `/keys`: who may call, how much and what; the secret is shown once, by what makes it. */
export function serveKeys(app: AdminApp, deps: AdminDeps): void {
  const { keyRing } = deps;
  resource(app, "/keys", {
    GET: (context) => listKeys(context, deps),
    POST: (context) => createKey(context, deps),
  });
  resource(app, "/keys/:id", { GET: (context) => showKey(context, deps) });
  resource(app, "/keys/:id/narrow", { POST: (context) => narrowKey(context, deps) });
  resource(app, "/keys/:id/rotate", { POST: (context) => rotateKey(context, deps) });
  resource(app, "/keys/:id/content-log", {
    POST: async (context) => {
      const id = segment(context, "id");
      const { on } = await readBody(context, contentLog);
      return context.json(keyJson(changed(await keyRing.setContentLog(id, on), id)));
    },
  });
  const changes = {
    disable: (id: string) => keyRing.disable(id),
    enable: (id: string) => keyRing.enable(id),
    revoke: (id: string) => keyRing.revoke(id),
  };
  for (const [verb, change] of Object.entries(changes)) {
    resource(app, `/keys/:id/${verb}`, {
      POST: async (context) => {
        const id = segment(context, "id");
        return context.json(keyJson(changed(await change(id), id)));
      },
    });
  }
}

async function listKeys(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const keys = await deps.keys.listStored();
  const peppers = await deps.pepperBook.standing();
  return context.json({
    keys: keys.map(({ record, digest }) => ({
      ...keyJson(record),
      pepper: peppers.find(({ version }) => standsUnder(digest, version))?.version ?? null,
    })),
    // Known at a glance: whether the previous pepper can be dropped.
    underPreviousPepper: peppers[1]?.keyIds.length ?? null,
  });
}

async function createKey(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const { name, wallet, policy, opId } = await readBody(
    context,
    newKey,
    (body) => unknownNames(body, deps.catalogs.current()),
  );
  await requireWallet(deps, wallet);
  const publicId = publicIdOf(opId);
  const issued = await deps.keyRing.issue({ name, walletId: wallet, policy, publicId });
  if (!issued.ok) throw issueFault(issued.refusal, { id: name, publicId });
  return context.json({ key: issued.key, ...keyJson(issued.record) }, 201);
}

/** Refuses the id of a wallet that is not there, with the nearest one. */
export async function requireWallet(
  deps: Pick<AdminDeps, "ledger">,
  id: string,
): Promise<void> {
  if (await deps.ledger.wallet(id) !== undefined) return;
  const ids = (await deps.ledger.wallets()).map((wallet) => wallet.id);
  throw new ServiceFault("invalid_request", {
    message: `There is no wallet "${id}"${suggestion(id, ids)}`,
    param: "wallet",
  });
}

async function showKey(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const id = segment(context, "id");
  const record = await deps.keys.get(id);
  if (record === undefined) throw keyFault({ code: "key_not_found" }, id);
  const keyId = record.budgetId ?? id;
  const spend = spendJson(await deps.ledger.keySpend(keyId), { keyId, atMs: deps.clock.nowMs() });
  const reach = await reachJson(deps, record);
  return context.json({ ...keyJson(record), spend, reach });
}

async function narrowKey(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const id = segment(context, "id");
  const { policy } = await readBody(
    context,
    narrowing,
    (body) => unknownNames(body, deps.catalogs.current()),
  );
  return context.json(keyJson(changed(await deps.keyRing.narrow(id, policy), id)));
}

async function rotateKey(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const id = segment(context, "id");
  const { name, policy, opId } = await readBody(
    context,
    rotation,
    (body) => unknownNames(body, deps.catalogs.current()),
  );
  const publicId = publicIdOf(opId);
  const issued = await deps.keyRing.rotate(id, { name, policy, publicId });
  if (!issued.ok) throw issueFault(issued.refusal, { id, publicId });
  const otherCopies = (await deps.keys.list()).filter((copy) =>
    copy.rotatedFrom === id && copy.id !== issued.record.id && serves(copy, deps.clock.nowMs())
  );
  return context.json({
    key: issued.key,
    ...keyJson(issued.record),
    otherCopies: otherCopies.map((copy) => copy.id),
  }, 201);
}

function changed(change: KeyChange, id: string): KeyRecord {
  if (change.ok) return change.record;
  throw keyFault(change.refusal, id);
}

/** What is made under an operation's id is made once, and shown once. */
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

/** The refusal of a change of a key. */
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

/** A key as the API shows it, without its secret. */
export function keyJson(record: KeyRecord): Answer<typeof keyAnswer> {
  return {
    id: record.id,
    name: record.name,
    wallet: record.walletId,
    status: record.status,
    policy: record.policy,
    hint: record.hint,
    createdAt: new Date(record.createdAtMs).toISOString(),
    lastUsedAt: record.lastUsedAtMs === undefined
      ? null
      : new Date(record.lastUsedAtMs).toISOString(),
    rotatedFrom: record.rotatedFrom ?? null,
    logContent: record.logContent === true,
  };
}

/** What a key has spent, as of now: a window that has passed since the last use counts nothing. */
function spendJson(spend: KeySpend | undefined, now: { keyId: string; atMs: number }) {
  const { held, daySpent, monthSpent, totalSpent } = spendAt(spend, now);
  return {
    held: formatCredits(held),
    day: formatCredits(daySpent),
    month: formatCredits(monthSpent),
    total: formatCredits(totalSpent),
  };
}
