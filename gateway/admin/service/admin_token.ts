import { ServiceFault } from "../../domain/fault.ts";
import { presentedToken } from "../authorize.ts";
import type { AdminDeps } from "../deps.ts";
import type { Handlers } from "../routes.ts";

/** Handlers of the admin token: a new token is valid beside the old one until it confirms itself. */
export function adminTokenHandlers(deps: AdminDeps) {
  return {
    "POST /admin-token/rotate": async () => ({ token: await deps.adminTokens.rotate() }),
    "POST /admin-token/confirm": async ({ context }) => {
      await confirm(presentedToken(context.req.header("authorization") ?? ""), deps);
      return { confirmed: true };
    },
  } satisfies Partial<Handlers>;
}

async function confirm(token: string, deps: AdminDeps): Promise<void> {
  if (!await deps.adminTokens.confirm(token)) {
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
