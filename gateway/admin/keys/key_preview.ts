import type { AnswerOf, CheckedBodyOf } from "../../admin_api/operations.ts";
import { ServiceFault } from "../../domain/fault.ts";
import { hasExpired } from "../../domain/policy/key.ts";
import { violationsOf } from "../../domain/policy/policy.ts";
import type { AdminDeps } from "../deps.ts";
import type { Handlers } from "../routes.ts";
import { reachJson } from "./key_reach.ts";
import { requireWallet } from "../wallets/find_wallet.ts";

/** Handler of the preview of a policy, before any key has it. Changes nothing. */
export function keyPreviewHandlers(deps: AdminDeps) {
  return {
    "POST /keys/preview": async ({ body }) => previewJson(deps, await body()),
  } satisfies Partial<Handlers>;
}

async function previewJson(
  deps: AdminDeps,
  { policy, wallet, narrows }: CheckedBodyOf<"POST /keys/preview">,
): Promise<AnswerOf<"POST /keys/preview">> {
  const original = narrows === undefined ? undefined : await deps.keys.get(narrows);
  if (narrows !== undefined && original === undefined) {
    throw new ServiceFault("invalid_request", {
      message: `There is no key "${narrows}"`,
      param: "narrows",
    });
  }
  const walletId = original?.walletId ?? wallet;
  await requireWallet(deps, walletId);
  return {
    ...await reachJson(deps, { policy, walletId }),
    expired: hasExpired({ policy }, deps.clock.nowMs()),
    wider: original === undefined ? [] : violationsOf(policy, original.policy),
  };
}
