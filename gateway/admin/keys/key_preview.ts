import { ServiceFault } from "../../domain/fault.ts";
import { hasExpired } from "../../domain/policy/key.ts";
import { violationsOf } from "../../domain/policy/policy.ts";
import type { AdminApp, AdminContext, AdminDeps } from "../deps.ts";
import { reachJson } from "./key_reach.ts";
import { requireWallet } from "./keys.ts";
import { unknownNames } from "../../admin_api/schemas/policy.ts";
import { readBody } from "../request_body.ts";
import { resource } from "../resource.ts";
import { preview } from "../../admin_api/schemas/keys.ts";

/** `/keys/preview`: what a policy would leave, before any key has it. Changes nothing. */
export function serveKeyPreview(app: AdminApp, deps: AdminDeps): void {
  resource(app, "/keys/preview", { POST: (context) => previewPolicy(context, deps) });
}

async function previewPolicy(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const { policy, wallet, narrows } = await readBody(
    context,
    preview,
    (body) => unknownNames(body, deps.catalogs.current()),
  );
  const original = narrows === undefined ? undefined : await deps.keys.get(narrows);
  if (narrows !== undefined && original === undefined) {
    throw new ServiceFault("invalid_request", {
      message: `There is no key "${narrows}"`,
      param: "narrows",
    });
  }
  const walletId = original?.walletId ?? wallet;
  await requireWallet(deps, walletId);
  return context.json({
    ...await reachJson(deps, { policy, walletId }),
    expired: hasExpired({ policy }, deps.clock.nowMs()),
    wider: original === undefined ? [] : violationsOf(policy, original.policy),
  });
}
