import { ServiceFault } from "../../domain/fault.ts";
import { type KeyRecord, mayServe } from "../../domain/policy/key.ts";
import { isInUse, nextStep, ROTATION_STEPS } from "../../domain/policy/rotation.ts";
import type { RequestRecord } from "../../ports/request_log.ts";
import type { AdminApp, AdminContext, AdminDeps } from "../deps.ts";
import { keyFault, keyJson } from "./keys.ts";
import { readBody } from "../request_body.ts";
import { summaryJson } from "../requests/request_json.ts";
import { readQuery } from "../request_query.ts";
import { resource, segment } from "../resource.ts";
import { rotationQuery, verification } from "../../admin_api/schemas/keys.ts";
import { callWithKey, newRequestId } from "../../admin_api/verification_call.ts";

/** Longest wait for the answer to a verification, in milliseconds. */
const CALL_TIMEOUT_MS = 60_000;
/** Most requests that are counted: it matters whether there are any. */
const COUNTED = 500;

/** `/keys/{id}/rotation` and `/keys/{id}/verify`: what replacing a key by a copy has beside the changes. */
export function serveKeyRotation(app: AdminApp, deps: AdminDeps): void {
  resource(app, "/keys/:id/rotation", { GET: (context) => showRotation(context, deps) });
  resource(app, "/keys/:id/verify", { POST: (context) => verifyKey(context, deps) });
}

/**
 * How far the rotation of a key has come. It is told by the keys and the log alone, so that it can be
 * left at any time and gone on with elsewhere.
 */
async function showRotation(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const { copy: wanted, request_id } = readQuery(context, deps, rotationQuery);
  const old = await keyOf(deps, segment(context, "id"));
  const nowMs = deps.clock.nowMs();
  const copies = (await deps.keys.list()).filter((key) =>
    key.rotatedFrom === old.id && mayServe(key, nowMs)
  );
  const copy = wanted === undefined ? copies[0] : copies.find(({ id }) => id === wanted);
  if (wanted !== undefined && copy === undefined) {
    throw new ServiceFault("not_found", {
      message: `Key "${old.id}" has no copy "${wanted}" that can serve`,
    });
  }
  const verified = copy === undefined ? undefined : await goodCall(deps, copy.id, request_id);
  const uses = await usesOf(deps, old, verified?.atMs ?? copy?.createdAtMs ?? nowMs);
  return context.json({
    old: keyJson(old),
    copy: copy === undefined ? null : keyJson(copy),
    otherCopies: copies.filter(({ id }) => id !== copy?.id).map(({ id }) => id),
    verified: verified === undefined ? null : summaryJson(verified),
    uses,
    steps: ROTATION_STEPS,
    next: nextStep({ old, copy, isVerified: verified !== undefined }),
  });
}

async function keyOf({ keys }: AdminDeps, id: string): Promise<KeyRecord> {
  const record = await keys.get(id);
  if (record === undefined) throw keyFault({ code: "key_not_found" }, id);
  return record;
}

/** The newest call of a key that went well, or the one of a request id. */
async function goodCall(
  { log }: AdminDeps,
  keyId: string,
  requestId: string | undefined,
): Promise<RequestRecord | undefined> {
  return (await log.search({ keyId, requestId, outcome: "ok", limit: 1 })).records[0];
}

async function usesOf({ log }: AdminDeps, { id, lastUsedAtMs }: KeyRecord, sinceMs: number) {
  const page = await log.search({ keyId: id, sinceMs, limit: COUNTED });
  const requests = page.records.length;
  return {
    since: new Date(sinceMs).toISOString(),
    lastUsedAt: lastUsedAtMs === undefined ? null : new Date(lastUsedAtMs).toISOString(),
    requests,
    more: page.cursor !== undefined,
    inUse: isInUse({ requests, sinceMs, lastUsedMs: lastUsedAtMs }),
  };
}

/** Makes one small call with a key at the public listener, as an application would. */
async function verifyKey(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const { id } = await keyOf(deps, segment(context, "id"));
  const { key, requestId = newRequestId() } = await readBody(context, verification);
  // Another key would be charged for a call that shows nothing.
  if ((await deps.keyRing.authenticate(key))?.id !== id) {
    throw new ServiceFault("invalid_request", {
      message: `This is not key "${id}", or it does not serve`,
      param: "key",
    });
  }
  const url = deps.publicUrl().replace(/\/+$/, "");
  const call = await callWithKey({
    fetch: deps.fetch ?? fetch,
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    ...{ url, key, requestId },
  });
  if (call.ok) {
    const { model, charged } = call;
    return context.json({ requestId, url, model, charged });
  }
  if (call.reason === "unreachable") {
    throw new ServiceFault("upstream_error", {
      message: `Cannot reach the service at ${url} from here: call it from an application with ` +
        "an X-Request-ID of your own",
      cause: call.cause,
    });
  }
  const advice = call.reason === "denied"
    ? "; make a call that its policy allows, with an X-Request-ID of your own"
    : "";
  throw new ServiceFault("conflict", {
    message: `The call with this key was refused: ${call.message} (request ${requestId})${advice}`,
  });
}
