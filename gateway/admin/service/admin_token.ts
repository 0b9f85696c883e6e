import { ServiceFault } from "../../domain/fault.ts";
import type { Noted } from "../../domain/operators/trail.ts";
import type { AdminTokensState } from "../../flows/keys/admin_tokens.ts";
import { presentedToken } from "../authorize.ts";
import type { AdminDeps } from "../deps.ts";
import type { Handlers } from "../routes.ts";

/** Handlers of the admin token: a new token is valid beside the old one until it confirms itself. */
export function adminTokenHandlers(deps: AdminDeps) {
  return {
    "POST /admin-token/rotate": async ({ entry }) => ({
      token: await deps.adminTokens.rotate({ entry: entry(asItIs) }),
    }),
    "POST /admin-token/confirm": async ({ context, entry }) => {
      const token = presentedToken(context.req.header("authorization") ?? "");
      await confirm(token, deps, { entry: entry(asItIs) });
      return { confirmed: true };
    },
  } satisfies Partial<Handlers>;
}

/** Returns a state that has nothing secret. */
function asItIs(state: AdminTokensState): AdminTokensState {
  return state;
}

async function confirm(
  token: string,
  deps: AdminDeps,
  options: Noted<AdminTokensState>,
): Promise<void> {
  if (!await deps.adminTokens.confirm(token, options)) {
    throw new ServiceFault("conflict", {
      message: "Send this request with the new admin token; `svc admin-token rotate` makes one",
    });
  }
  try {
    await deps.onAdminToken(token);
  } catch (error) {
    // The token is in force; only the file for the command line is outdated.
    deps.logger.warn("Cannot keep the admin token beside the store", { error: String(error) });
  }
}
