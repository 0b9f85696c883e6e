/**
 * The playground: calls as applications make them, with a key that lives for minutes, through the
 * whole public listener: authentication, policy, routing, ledger and log.
 *
 * @module
 */

import { DIALECT_HEADER } from "@svc/sdk/protocol";
import { ENDPOINT_PATHS } from "../../domain/requests/endpoints.ts";
import type { AdminDeps } from "../deps.ts";
import type { AdminCall, Handlers } from "../routes.ts";
import { requireWallet } from "../wallets/find_wallet.ts";
import { PlaygroundKeys } from "./playground_keys.ts";

/** Headers of the answer that are passed on. */
const FORWARDED_HEADERS = ["content-type", "retry-after"] as const;

/** Handlers of the playground. */
export function playgroundHandlers(deps: AdminDeps) {
  const keys = new PlaygroundKeys(deps);
  return {
    "POST /playground": (call) => callGateway(deps, keys, call),
    "DELETE /playground": async () => ({ revoked: await keys.end() }),
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
  const { key } = await keys.keyOf(wallet);
  const headers = new Headers({
    "content-type": "application/json",
    authorization: `Bearer ${key}`,
    "x-request-id": context.get("requestId"),
  });
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
