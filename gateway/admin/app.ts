import { Hono, type Next } from "@hono/hono";
import { ServiceFault } from "../domain/fault.ts";
import { errorResponse, faultOf } from "../http/error_response.ts";
import { requestId } from "../http/middleware/request_id.ts";
import { getDocument, getReference } from "../http/routes/description.ts";
import { serveAdminToken } from "./service/admin_token.ts";
import { authorize, tokenAdmission } from "./authorize.ts";
import { serveCatalog } from "./catalog/catalog.ts";
import { serveCatalogCheck } from "./catalog/catalog_check.ts";
import type { AdminApp, AdminContext, AdminDeps, AdminEnv } from "./deps.ts";
import { serveKeyPreview } from "./keys/key_preview.ts";
import { serveKeyRotation } from "./keys/key_rotation.ts";
import { serveKeys } from "./keys/keys.ts";
import { serveLedger } from "./ledger/ledger.ts";
import { logFault } from "./log_fault.ts";
import { serveMetrics } from "./service/metrics.ts";
import { serveModels } from "./catalog/models.ts";
import { serveOverview } from "./requests/overview.ts";
import { servePepper } from "./service/pepper.ts";
import { servePlayground } from "./keys/playground.ts";
import { serveRequests } from "./requests/requests.ts";
import { resource } from "./resource.ts";
import { serveService } from "./service/service.ts";
import { serveUpstreams } from "./service/upstreams.ts";
import { serveUsage } from "./requests/usage.ts";
import { serveVectorStores } from "./vector_stores/vector_stores.ts";
import { serveWallets } from "./wallets/wallets.ts";

/**
 * The operator's listener: the API, everything under `/admin/v1`, for holders of an admin token, and the
 * console over it.
 */
export function createAdminApp(deps: AdminDeps): AdminApp {
  const api = createApi(deps);
  const app = emptyApp(deps);
  const admit = tokenAdmission(deps);
  app.use("/admin/v1/*", authorize(admit));
  app.route("/admin/v1", api);
  // It holds no data: tools read it without a token.
  const { description } = deps;
  resource(app, "/openapi.json", { GET: getDocument(description) });
  resource(app, "/reference", { GET: getReference(description) });
  serveMetrics(app, { admit, metrics: deps.metrics });
  const consoleApi = emptyApp(deps);
  consoleApi.route("/admin/v1", api);
  const { clock, logger, adminTokens } = deps;
  deps.mountConsole(app, {
    clock,
    logger,
    admit,
    api: consoleApi,
    tokenEpoch: () => adminTokens.epoch,
  });
  return app;
}

/**
 * The listener of `/metrics` alone. It takes the token of that page where there is one, and asks for
 * none otherwise: whoever opened the listener says by its address who reaches it. An operator's token
 * opens nothing here.
 */
export function createMetricsApp(deps: AdminDeps): AdminApp {
  const app = emptyApp(deps);
  const nobody = { admits: () => false };
  serveMetrics(app, {
    admit: deps.metrics?.needsToken ? tokenAdmission({ ...deps, adminTokens: nobody }) : undefined,
    metrics: deps.metrics,
  });
  return app;
}

/** An application that answers what goes wrong, and what it does not know, by the error table. */
function emptyApp({ logger, onRefusal, rng }: AdminDeps): AdminApp {
  const app: AdminApp = new Hono<AdminEnv>();
  app.onError((error, context) => {
    const fault = faultOf(error);
    const requestId = context.get("requestId") ?? rng.id("req");
    onRefusal?.(fault.code);
    if (fault.status >= 500) logFault(logger, fault, requestId);
    return errorResponse(fault, requestId);
  });
  app.notFound((context) => {
    onRefusal?.("not_found");
    return errorResponse(new ServiceFault("not_found"), context.get("requestId"));
  });
  app.use(requestId(rng), noStore);
  return app;
}

function createApi(deps: AdminDeps): AdminApp {
  const api: AdminApp = new Hono<AdminEnv>();
  serveWallets(api, deps);
  serveKeyPreview(api, deps);
  serveKeys(api, deps);
  serveKeyRotation(api, deps);
  servePepper(api, deps);
  serveAdminToken(api, deps);
  serveService(api, deps);
  serveCatalog(api, deps);
  serveCatalogCheck(api, deps);
  serveRequests(api, deps);
  serveOverview(api, deps);
  serveUsage(api, deps);
  serveModels(api, deps);
  serveUpstreams(api, deps);
  servePlayground(api, deps);
  serveLedger(api, deps);
  serveVectorStores(api, deps);
  return api;
}

/** Answers tell of money and keys: no cache keeps them, unless they say that they may. */
async function noStore(context: AdminContext, next: Next): Promise<void> {
  await next();
  context.res.headers.set("x-request-id", context.get("requestId"));
  const { headers } = context.res;
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
}
