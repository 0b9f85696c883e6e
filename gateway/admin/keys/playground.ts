/**
 * The playground: calls as applications make them, with a key that lives for minutes, through the
 * whole public listener: authentication, policy, routing, ledger and log.
 *
 * @module
 */

import { DIALECT_HEADER } from "@svc/sdk/protocol";
import { createHash } from "node:crypto";
import { TAG_HEADER, TAG_PATTERN } from "../../domain/requests/attribution.ts";
import { ENDPOINT_PATHS } from "../../domain/requests/endpoints.ts";
import type { AdminDeps } from "../deps.ts";
import { authorOf } from "../operators/author.ts";
import type { AdminCall, Handlers } from "../routes.ts";
import { requireWallet } from "../wallets/find_wallet.ts";
import type { PlaygroundKeys } from "./playground_keys.ts";

/** Name of the tag with the id of the operator who calls. */
const OPERATOR_TAG = "operator";
/** Longest value of the tag in whose place a digest stands, in characters. */
const VALUE_CHARS_MAX = 64;
const DIGEST_CHARS = 12;

/** Headers of the answer that are passed on. */
const FORWARDED_HEADERS = ["content-type", "retry-after"] as const;

/** Handlers of the playground. */
export function playgroundHandlers(deps: AdminDeps, keys: PlaygroundKeys) {
  return {
    "POST /playground": (call) => callGateway(deps, keys, call),
    "DELETE /playground": async ({ context }) => {
      const author = authorOf(context);
      return { revoked: await keys.end(author.id, author) };
    },
  } satisfies Partial<Handlers>;
}

async function callGateway(
  deps: AdminDeps,
  keys: PlaygroundKeys,
  call: AdminCall<"POST /playground">,
): Promise<Response> {
  const { context } = call;
  const { wallet, endpoint, body, orchestration } = await call.body();
  await requireWallet(deps, wallet);
  const author = authorOf(context);
  const { key } = await keys.keyOf(wallet, author);
  const headers = new Headers({
    "content-type": "application/json",
    authorization: `Bearer ${key}`,
    "x-request-id": context.get("requestId"),
  });
  // The log and the usage name the operator, beside the name of the key.
  headers.set(TAG_HEADER, operatorTag(author.id));
  // The page shows tasks and the bill, which only this dialect has.
  headers.set(DIALECT_HEADER, "service");
  if (orchestration !== undefined) headers.set("x-orchestration", orchestration);
  const answer = await deps.callPublic(
    new Request(`http://localhost${ENDPOINT_PATHS[endpoint]}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      // A disconnect from the playground ends the call, as for any other caller.
      signal: context.req.raw.signal,
    }),
  );
  const forwarded = new Headers();
  for (const name of FORWARDED_HEADERS) {
    const value = answer.headers.get(name);
    if (value !== null) forwarded.set(name, value);
  }
  return new Response(answer.body, { status: answer.status, headers: forwarded });
}

/**
 * Returns the tag that names an operator by id. One of an identity provider may have characters that
 * no tag has, or too many: others stand in their place, and a digest keeps two ids apart.
 */
export function operatorTag(id: string): string {
  const tag = `${OPERATOR_TAG}=${id}`;
  if (TAG_PATTERN.test(tag)) return tag;
  const digest = createHash("sha256").update(id).digest("hex").slice(0, DIGEST_CHARS);
  const readable = id.replaceAll(/[^A-Za-z0-9_.:/@-]/g, "_");
  return `${OPERATOR_TAG}=${readable.slice(0, VALUE_CHARS_MAX - DIGEST_CHARS - 1)}~${digest}`;
}
