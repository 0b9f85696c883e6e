/**
 * `/playground`: a call as an application would make it, with a key that lives for minutes, through
 * the whole of the public listener: authentication, policy, routing, ledger and log.
 *
 * @module
 */

import { DIALECT_HEADER } from "@svc/sdk/protocol";
import type { AdminApp, AdminContext, AdminDeps } from "../deps.ts";
import { requireWallet } from "./keys.ts";
import { PlaygroundKeys } from "./playground_keys.ts";
import { readBody } from "../request_body.ts";
import { resource } from "../resource.ts";
import { playgroundCall } from "../../admin_api/schemas/playground.ts";

const PATHS = {
  chat: "/openai/v1/chat/completions",
  responses: "/openai/v1/responses",
  "images.generations": "/openai/v1/images/generations",
} as const;

/** Headers of the answer that are passed on. */
const PASSED_ON = ["content-type", "retry-after"] as const;

/** Serves the playground. */
export function servePlayground(app: AdminApp, deps: AdminDeps): void {
  const keys = new PlaygroundKeys(deps);
  resource(app, "/playground", {
    POST: (context) => callGateway(context, deps, keys),
    DELETE: async (context) => context.json({ revoked: await keys.end() }),
  });
}

async function callGateway(
  context: AdminContext,
  deps: AdminDeps,
  keys: PlaygroundKeys,
): Promise<Response> {
  const { wallet, endpoint, body, orchestration } = await readBody(context, playgroundCall);
  await requireWallet(deps, wallet);
  const { key } = await keys.of(wallet);
  const headers = new Headers({
    "content-type": "application/json",
    authorization: `Bearer ${key}`,
    "x-request-id": context.get("requestId"),
  });
  // The page tells tasks apart, and reads the bill.
  headers.set(DIALECT_HEADER, "service");
  if (orchestration !== undefined) headers.set("x-orchestration", orchestration);
  const answer = await deps.callPublic(
    new Request(`http://localhost${PATHS[endpoint]}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      // Whoever leaves the playground ends the call, as any other caller does.
      signal: context.req.raw.signal,
    }),
  );
  const passedOn = new Headers();
  for (const name of PASSED_ON) {
    const value = answer.headers.get(name);
    if (value !== null) passedOn.set(name, value);
  }
  return new Response(answer.body, { status: answer.status, headers: passedOn });
}
