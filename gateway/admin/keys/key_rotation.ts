import { ServiceFault } from "../../domain/fault.ts";
import { type KeyRecord, mayServe } from "../../domain/policy/key.ts";
import { isInUse, nextStep, ROTATION_STEPS } from "../../domain/policy/rotation.ts";
import type { RequestRecord } from "../../ports/request_log.ts";
import type { AnswerOf, CheckedQueryOf } from "../../admin_api/operations.ts";
import { callWithKey, newRequestId } from "../../admin_api/verification_call.ts";
import type { AdminDeps } from "../deps.ts";
import { isoTime, isoTimeOrNull } from "../json_values.ts";
import { summaryJson } from "../requests/request_json.ts";
import type { AdminCall, Handlers } from "../routes.ts";
import { keyJson } from "./key_json.ts";
import { keyFault } from "./keys.ts";

/** Maximum wait for the answer to a verification, in milliseconds. */
const CALL_TIMEOUT_MS = 60_000;
/** Maximum number of requests that are counted: it matters only whether there are any. */
const COUNTED = 500;

/** Handlers of the progress of a rotation, and of a call that verifies a key. */
export function keyRotationHandlers(deps: AdminDeps) {
  return {
    "GET /keys/{id}/rotation": ({ path, query }) => rotationJson(deps, path.id, query()),
    "POST /keys/{id}/verify": (call) => verifyKey(deps, call),
  } satisfies Partial<Handlers>;
}

/**
 * Returns how far the rotation of a key has come. It follows from the keys and the log alone, so that a
 * rotation can be interrupted at any time and continued elsewhere.
 */
async function rotationJson(
  deps: AdminDeps,
  id: string,
  { copy: copyId, request_id }: CheckedQueryOf<"GET /keys/{id}/rotation">,
): Promise<AnswerOf<"GET /keys/{id}/rotation">> {
  const old = await keyOf(deps, id);
  const nowMs = deps.clock.nowMs();
  const copies: KeyRecord[] = [];
  for await (const copy of deps.keys.copiesOf(old.id)) {
    if (mayServe(copy, nowMs)) copies.push(copy);
  }
  const copy = copyId === undefined ? copies[0] : copies.find(({ id }) => id === copyId);
  if (copyId !== undefined && copy === undefined) {
    throw new ServiceFault("not_found", {
      message: `Key "${old.id}" has no copy "${copyId}" that can serve`,
    });
  }
  const verified = copy === undefined ? undefined : await goodCall(deps, copy.id, request_id);
  const uses = await usesOf(deps, old, verified?.atMs ?? copy?.createdAtMs ?? nowMs);
  return {
    old: keyJson(old),
    copy: copy === undefined ? null : keyJson(copy),
    otherCopies: copies.filter(({ id }) => id !== copy?.id).map(({ id }) => id),
    verified: verified === undefined ? null : summaryJson(verified),
    uses,
    steps: ROTATION_STEPS,
    next: nextStep({ old, copy, isVerified: verified !== undefined }),
  };
}

async function keyOf({ keys }: AdminDeps, id: string): Promise<KeyRecord> {
  const record = await keys.get(id);
  if (record === undefined) throw keyFault({ code: "key_not_found" }, id);
  return record;
}

/** Returns the newest successful call of a key, or the one of a request id. */
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
    since: isoTime(sinceMs),
    lastUsedAt: isoTimeOrNull(lastUsedAtMs),
    requests,
    more: page.cursor !== undefined,
    inUse: isInUse({ requests, sinceMs, lastUsedMs: lastUsedAtMs }),
  };
}

/** Makes one small call with a key at the public listener, as an application would. */
async function verifyKey(
  deps: AdminDeps,
  { path, body }: AdminCall<"POST /keys/{id}/verify">,
): Promise<AnswerOf<"POST /keys/{id}/verify">> {
  const { id } = await keyOf(deps, path.id);
  const { key, requestId = newRequestId() } = await body();
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
  if (call.ok) return { requestId, url, model: call.model, charged: call.charged };
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
