import { Hono, type Next } from "@hono/hono";
import { ServiceFault } from "../domain/fault.ts";
import { errorResponse, faultOf } from "../http/error_response.ts";
import { authorize } from "./authorize.ts";
import { serveCatalog } from "./catalog.ts";
import type { AdminApp, AdminContext, AdminDeps, AdminEnv } from "./deps.ts";
import { serveKeys } from "./keys.ts";
import { serveLedger } from "./ledger.ts";
import { serveModels } from "./models.ts";
import { serveRequests } from "./requests.ts";
import { serveUsage } from "./usage.ts";
import { serveWallets } from "./wallets.ts";

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** The operator's API: everything under `/admin/v1`, for holders of an admin token. */
export function createAdminApp(deps: AdminDeps): AdminApp {
  const app: AdminApp = new Hono<AdminEnv>();
  app.onError((error, context) => {
    const fault = faultOf(error);
    const requestId = context.get("requestId");
    if (fault.status >= 500) logFault(deps, fault, requestId);
    return errorResponse(fault, requestId);
  });
  app.notFound((context) => {
    return errorResponse(new ServiceFault("not_found"), context.get("requestId"));
  });
  app.use((context, next) => identify(context, next, deps));
  app.use("/admin/v1/*", authorize(deps));

  const api: AdminApp = new Hono<AdminEnv>();
  serveWallets(api, deps);
  serveKeys(api, deps);
  serveCatalog(api, deps);
  serveRequests(api, deps);
  serveUsage(api, deps);
  serveModels(api, deps);
  serveLedger(api, deps);
  app.route("/admin/v1", api);
  return app;
}

/** Gives the request its id and the answer the same in `X-Request-ID`; answers are never stored. */
async function identify(context: AdminContext, next: Next, deps: AdminDeps): Promise<void> {
  const given = context.req.header("x-request-id");
  const valid = given === undefined || REQUEST_ID.test(given);
  context.set("requestId", valid && given !== undefined ? given : deps.rng.id("req"));
  if (!valid) {
    throw new ServiceFault("invalid_request", {
      message: "X-Request-ID takes 1 to 128 visible ASCII characters",
      param: "X-Request-ID",
    });
  }
  await next();
  context.res.headers.set("x-request-id", context.get("requestId"));
  context.res.headers.set("cache-control", "no-store");
}

function logFault(deps: AdminDeps, fault: ServiceFault, requestId: string): void {
  deps.logger.error("Admin request failed", {
    requestId,
    code: fault.code,
    message: fault.message,
    ...(fault.cause === undefined ? {} : { cause: String(fault.cause) }),
  });
}
