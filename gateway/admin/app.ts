import { Hono, type Next } from "@hono/hono";
import { invariant } from "../domain/invariant.ts";
import { ServiceFault } from "../domain/fault.ts";
import { errorResponse, faultOf } from "../http/error_response.ts";
import { requestId } from "../http/middleware/request_id.ts";
import { PUBLIC_PATHS } from "../http/public_paths.ts";
import { getDocument, getReference } from "../http/routes/description.ts";
import { authorize, tokenAdmission } from "./authorize.ts";
import { catalogHandlers } from "./catalog/catalog.ts";
import { catalogCheckHandlers } from "./catalog/catalog_check.ts";
import { modelHandlers } from "./catalog/models.ts";
import type { AdminApp, AdminContext, AdminDeps, AdminEnv } from "./deps.ts";
import { auditHandlers } from "./operators/audit.ts";
import { operatorHandlers } from "./operators/operators.ts";
import { sessionHandlers } from "./operators/sessions.ts";
import { approvalHandlers, correctionHandlers } from "./corrections/corrections.ts";
import { keyPreviewHandlers } from "./keys/key_preview.ts";
import { keyRotationHandlers } from "./keys/key_rotation.ts";
import { keyHandlers } from "./keys/keys.ts";
import { playgroundHandlers } from "./keys/playground.ts";
import { PlaygroundKeys } from "./keys/playground_keys.ts";
import { ledgerHandlers } from "./ledger/ledger.ts";
import { logFault } from "./log_fault.ts";
import { requestHandlers } from "./requests/requests.ts";
import { resource } from "./resource.ts";
import { routingHandlers } from "./routing/routing.ts";
import { serveOperations } from "./routes.ts";
import { adminTokenHandlers } from "./service/admin_token.ts";
import { serveMetrics } from "./service/metrics.ts";
import { pepperHandlers } from "./service/pepper.ts";
import { serviceHandlers } from "./service/service.ts";
import { notificationHandlers } from "./notifications/notifications.ts";
import { vectorStoreHandlers } from "./vector_stores/vector_stores.ts";
import { walletHandlers } from "./wallets/wallets.ts";

/**
 * Builds the operator's listener: the API below `/admin/v1`, which needs an admin token, and the
 * console.
 */
export function createAdminApp(deps: AdminDeps): AdminApp {
  const api = createApi(deps);
  const app = emptyApp(deps);
  const admit = tokenAdmission(deps);
  app.use("/admin/v1/*", authorize(admit));
  app.route("/admin/v1", api);
  // It holds no data, so tools may read it without a token.
  const { description } = deps;
  resource(app, PUBLIC_PATHS.document, { GET: getDocument(description) });
  resource(app, PUBLIC_PATHS.reference, { GET: getReference(description) });
  serveMetrics(app, { admit, metrics: deps.metrics });
  const consoleApi = emptyApp(deps);
  consoleApi.use(async (context, next) => {
    const { actor } = context.env;
    invariant(actor !== undefined, "The console names who calls");
    context.set("actor", actor);
    await next();
  });
  consoleApi.route("/admin/v1", api);
  const { clock, logger, adminTokens, sessions, signOn, consoleUrl, trail } = deps;
  deps.mountConsole(app, {
    ...{ clock, logger, sessions, signOn, consoleUrl, trail },
    admit,
    api: consoleApi,
    tokenMark: (token) => adminTokens.markOf(token),
  });
  return app;
}

/**
 * Builds the listener of `/metrics` alone. It requires the token of that page where one is set, and
 * none otherwise: the operator limits access by the listener's address. An admin token is not
 * accepted here.
 */
export function createMetricsApp(deps: AdminDeps): AdminApp {
  const app = emptyApp(deps);
  const adminTokens = { admits: () => false };
  const operators = { authenticate: () => Promise.resolve(undefined) };
  serveMetrics(app, {
    admit: deps.metrics?.needsToken
      ? tokenAdmission({ ...deps, adminTokens, operators })
      : undefined,
    metrics: deps.metrics,
  });
  return app;
}

/** Returns an application that answers failures and unknown addresses by the error table. */
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
  const playground = new PlaygroundKeys(deps);
  serveOperations(api, deps, {
    ...walletHandlers(deps),
    ...correctionHandlers(deps),
    ...approvalHandlers(deps),
    ...keyHandlers(deps),
    ...keyPreviewHandlers(deps),
    ...keyRotationHandlers(deps),
    ...pepperHandlers(deps),
    ...adminTokenHandlers(deps),
    ...serviceHandlers(deps),
    ...catalogHandlers(deps),
    ...catalogCheckHandlers(deps),
    ...modelHandlers(deps),
    ...requestHandlers(deps),
    ...routingHandlers(deps),
    ...playgroundHandlers(deps, playground),
    ...ledgerHandlers(deps),
    ...vectorStoreHandlers(deps),
    ...notificationHandlers(deps),
    ...operatorHandlers(deps, playground),
    ...sessionHandlers(deps, playground),
    ...auditHandlers(deps),
  });
  return api;
}

/** Answers contain money and keys: no cache may store them unless they allow it. */
async function noStore(context: AdminContext, next: Next): Promise<void> {
  await next();
  context.res.headers.set("x-request-id", context.get("requestId"));
  const { headers } = context.res;
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
}
