import { Hono, type Next } from "@hono/hono";
import { ServiceFault } from "../domain/fault.ts";
import { errorResponse, faultOf } from "../http/error_response.ts";
import { requestId } from "../http/middleware/request_id.ts";
import { serveAdminToken } from "./admin_token.ts";
import { authorize } from "./authorize.ts";
import { serveCatalog } from "./catalog.ts";
import { serveCatalogCheck } from "./catalog_check.ts";
import type { AdminApp, AdminContext, AdminDeps, AdminEnv } from "./deps.ts";
import { serveKeys } from "./keys.ts";
import { serveLedger } from "./ledger.ts";
import { logFault } from "./log_fault.ts";
import { serveModels } from "./models.ts";
import { serveOverview } from "./overview.ts";
import { servePepper } from "./pepper.ts";
import { serveRequests } from "./requests.ts";
import { serveService } from "./service.ts";
import { serveUsage } from "./usage.ts";
import { serveVectorStores } from "./vector_stores.ts";
import { serveWallets } from "./wallets.ts";

/** The operator's API: everything under `/admin/v1`, for holders of an admin token. */
export function createAdminApp(deps: AdminDeps): AdminApp {
  const app: AdminApp = new Hono<AdminEnv>();
  app.onError((error, context) => {
    const fault = faultOf(error);
    const requestId = context.get("requestId");
    if (fault.status >= 500) logFault(deps.logger, fault, requestId);
    return errorResponse(fault, requestId);
  });
  app.notFound((context) => {
    return errorResponse(new ServiceFault("not_found"), context.get("requestId"));
  });
  app.use(requestId(deps.rng), noStore);
  app.use("/admin/v1/*", authorize(deps));

  const api: AdminApp = new Hono<AdminEnv>();
  serveWallets(api, deps);
  serveKeys(api, deps);
  servePepper(api, deps);
  serveAdminToken(api, deps);
  serveService(api, deps);
  serveCatalog(api, deps);
  serveCatalogCheck(api, deps);
  serveRequests(api, deps);
  serveOverview(api, deps);
  serveUsage(api, deps);
  serveModels(api, deps);
  serveLedger(api, deps);
  serveVectorStores(api, deps);
  app.route("/admin/v1", api);
  return app;
}

/** Answers tell of money and keys: no cache keeps them. */
async function noStore(context: AdminContext, next: Next): Promise<void> {
  await next();
  context.res.headers.set("x-request-id", context.get("requestId"));
  context.res.headers.set("cache-control", "no-store");
}
