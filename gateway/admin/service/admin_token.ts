import { ServiceFault } from "../../domain/fault.ts";
import { presentedToken } from "../authorize.ts";
import type { AdminApp, AdminContext, AdminDeps } from "../deps.ts";
import { resource } from "../resource.ts";

/** `/admin-token`: a new token is let in beside the kept one until a request with it confirms it. */
export function serveAdminToken(app: AdminApp, deps: AdminDeps): void {
  resource(app, "/admin-token/rotate", {
    POST: async (context) => context.json({ token: await deps.adminTokens.rotate() }, 201),
  });
  resource(app, "/admin-token/confirm", { POST: (context) => confirm(context, deps) });
}

async function confirm(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const token = presentedToken(context.req.header("authorization") ?? "");
  if (!await deps.adminTokens.confirm(token)) {
    throw new ServiceFault("conflict", {
      message: "Send this request with the new admin token; `svc admin-token rotate` makes one",
    });
  }
  try {
    await deps.onAdminToken(token);
  } catch (error) {
    // The token is in force; only the file that the command line reads is behind.
    deps.logger.warn("Cannot keep the admin token beside the store", { error: String(error) });
  }
  return context.json({ confirmed: true });
}
