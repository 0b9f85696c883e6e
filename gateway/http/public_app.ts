/**
 * The public listener, which applications call.
 *
 * @module
 */

import { type Context, Hono } from "@hono/hono";
import type { ErrorCode } from "@svc/sdk/protocol";
import { ServiceFault } from "../domain/fault.ts";
import { CallerDisconnected } from "../flows/request/caller_disconnected.ts";
import { CALLER_DISCONNECTED_STATUS } from "../flows/request/log_failure.ts";
import { type ModelCallDeps, ModelCalls } from "../flows/model_calls.ts";
import { faultForCaller } from "../flows/request/fault_of.ts";
import type { Feedback } from "../flows/learn/feedback.ts";
import type { SignedLinks } from "../flows/images/signed_links.ts";
import type { BlobStore } from "../ports/blob_store.ts";
import { limitsInForce } from "../domain/limits/service_limits.ts";
import { BadKeys } from "./bad_keys.ts";
import type { EdgeDeps } from "./edge_deps.ts";
import type { PublicEnv } from "./env.ts";
import { errorResponse } from "./error_response.ts";
import { authenticate, type FindKey, identifyBy } from "./middleware/authenticate.ts";
import { limitFiles } from "./middleware/limit_files.ts";
import { logDenied } from "./middleware/log_denied.ts";
import { requestId } from "./middleware/request_id.ts";
import { PUBLIC_PATHS, routeOf } from "./public_paths.ts";
import { getModelMeta, getPricing, listModels } from "./routes/catalog.ts";
import { routeFiles } from "./routes/files.ts";
import { routeVectorStores } from "./routes/vector_stores.ts";
import { getDocument, getReference, type ListenerDescription } from "./routes/description.ts";
import { createEmbeddings } from "./routes/embeddings.ts";
import { postFeedback } from "./routes/feedback.ts";
import { chatCompletions } from "./routes/chat_completions.ts";
import { editImages, generateImages, getFile } from "./routes/images.ts";
import { healthz, type Readiness, readyz } from "./routes/health.ts";
import { getOpenAIModel, listOpenAIModels } from "./routes/openai_models.ts";
import type { ModelEdge, ModelHandler } from "./routes/model_call.ts";
import { createResponse } from "./routes/responses.ts";
import { routeStoredResponses } from "./routes/stored_responses.ts";

/** Parts of the service that the public listener uses. */
export type PublicGateway = ModelCallDeps & EdgeDeps & {
  readonly feedback: Pick<Feedback, "admit" | "vote">;
  /** Routes of a key's own records. */
  readonly ownRecords: readonly KeyedRoute[];
};

/** A route of another component, which needs a key. */
export interface KeyedRoute {
  readonly method: "GET" | "POST";
  /** Path with names in braces. */
  readonly path: string;
  readonly handle: (c: Context<PublicEnv>) => Promise<Response>;
}

/** An application of pages below one path. */
export interface Answering {
  fetch(
    request: Request,
    facts: { readonly remoteAddress: string; readonly requestId: string },
  ): Response | Promise<Response>;
}

/** Dependencies of the public listener. */
export interface PublicAppOptions {
  readonly gateway: PublicGateway;
  readonly findKey: FindKey;
  readonly readiness: Readiness;
  readonly description: ListenerDescription;
  /** Called with the code of every error answer. @default {not called} */
  readonly onRefusal?: ((code: ErrorCode) => void) | undefined;
  /** Storage and check of images that signed links lead to. */
  readonly files: { readonly blobs: BlobStore; readonly links: Pick<SignedLinks, "verify"> };
  /** Pages of key holders. @default {none} */
  readonly keyPages?: Answering | undefined;
  /** Base URL that applications call. @default {the one of the request} */
  readonly publicUrl?: (() => string) | undefined;
}

/** Addresses of OpenAI's API that would otherwise be taken for the id of a response. */
const NOT_OFFERED = [`${PUBLIC_PATHS.responses}/compact`, `${PUBLIC_PATHS.responses}/input_tokens`];

/** Builds the application without listening. */
export function createPublicApp(options: PublicAppOptions): Hono<PublicEnv> {
  const { gateway, findKey, readiness } = options;
  const calls = new ModelCalls(gateway);
  const app = new Hono<PublicEnv>();
  const badKeys = new BadKeys({
    keyClass: "service",
    limit: () => limitsInForce(gateway.catalogs.current()).badKeysPerMinute,
    clock: gateway.clock,
    logger: gateway.logger,
  });
  const identify = identifyBy(findKey, { badKeys, onDenied: logDenied(calls, gateway) });
  const failed: ModelEdge["failed"] = (error, id, dialect) => {
    if (error instanceof CallerDisconnected) {
      return new Response(null, { status: CALLER_DISCONNECTED_STATUS });
    }
    const fault = faultForCaller(gateway, error, id);
    options.onRefusal?.(fault.code);
    return errorResponse(fault, id, dialect);
  };
  const models = modelHandlers(calls, { identify, rng: gateway.rng, failed });
  const keyed = authenticate(identify);
  app.use(requestId(gateway.rng));
  app.get(PUBLIC_PATHS.health, healthz());
  app.get(PUBLIC_PATHS.readiness, readyz(readiness));
  app.get(PUBLIC_PATHS.models, listModels(gateway));
  app.get(PUBLIC_PATHS.modelMeta, keyed, getModelMeta(gateway));
  app.get(PUBLIC_PATHS.pricing, keyed, getPricing(gateway));
  app.get(PUBLIC_PATHS.openAIModels, keyed, listOpenAIModels(gateway));
  app.get(routeOf(PUBLIC_PATHS.openAIModel), keyed, getOpenAIModel(gateway));
  app.post(PUBLIC_PATHS.feedback, keyed, postFeedback(gateway.feedback));
  for (const { method, path, handle } of gateway.ownRecords) {
    app.on(method, routeOf(path), keyed, handle);
  }
  for (const [path, handler] of models) app.post(path, (c) => handler(c.req.raw, c.env));
  routeStoredResponses(app, { keyed, responses: gateway.responses });
  const limited = limitFiles(gateway.fileRate);
  routeFiles(app, { keyed, limited, files: gateway.callerFiles });
  routeVectorStores(app, { keyed, limited, stores: gateway.callerStores });
  app.get(routeOf(PUBLIC_PATHS.file), getFile(gateway, options.files));
  app.get(PUBLIC_PATHS.document, getDocument(options.description));
  app.get(PUBLIC_PATHS.reference, getReference(options.description, options.publicUrl));
  if (options.keyPages !== undefined) routePages(app, options.keyPages);
  for (const path of NOT_OFFERED) {
    app.all(path, () => {
      throw new ServiceFault("not_found");
    });
  }
  refuseOtherMethods(app);
  app.notFound((c) => {
    options.onRefusal?.("not_found");
    return errorResponse(new ServiceFault("not_found"), c.get("requestId"));
  });
  // The id is missing only where the request sent an invalid one.
  app.onError((error, c) => failed(error, c.get("requestId") ?? gateway.rng.id("req"), undefined));
  return straightTo(models, app);
}

function routePages(app: Hono<PublicEnv>, pages: Answering): void {
  for (const path of [PUBLIC_PATHS.ownPages, `${PUBLIC_PATHS.ownPages}/*`]) {
    app.all(path, async (c) => {
      const { remoteAddress } = c.env;
      return await pages.fetch(c.req.raw, { remoteAddress, requestId: c.get("requestId") });
    });
  }
}

function modelHandlers(calls: ModelCalls, edge: ModelEdge): ReadonlyMap<string, ModelHandler> {
  return new Map([
    [PUBLIC_PATHS.chat, chatCompletions(calls, edge)],
    [PUBLIC_PATHS.responses, createResponse(calls, edge)],
    [PUBLIC_PATHS["images.generations"], generateImages(calls, edge)],
    [PUBLIC_PATHS["images.edits"], editImages(calls, edge)],
    [PUBLIC_PATHS.embeddings, createEmbeddings(calls, edge)],
  ]);
}

/** Passes calls of models to their handlers, past the router and the middleware. */
function straightTo(
  models: ReadonlyMap<string, ModelHandler>,
  app: Hono<PublicEnv>,
): Hono<PublicEnv> {
  const routed = app.fetch;
  app.fetch = (request, connection, context) => {
    const handler = request.method === "POST" ? models.get(pathOf(request.url)) : undefined;
    if (handler === undefined) return routed(request, connection, context);
    return handler(request, { remoteAddress: "", ...connection });
  };
  return app;
}

/** Returns the path of an address as it was sent. */
function pathOf(url: string): string {
  const start = url.indexOf("/", "https://".length);
  const query = url.indexOf("?", start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}

/** Answers 405 to every method that has no route at an address. */
function refuseOtherMethods(app: Hono<PublicEnv>): void {
  const routes = app.routes.filter(({ method }) => method !== "ALL");
  for (const [path, atPath] of Map.groupBy(routes, (route) => route.path)) {
    const methods = [...new Set(atPath.map(({ method }) => method))].join(", ");
    app.all(path, () => {
      throw new ServiceFault("method_not_allowed", {
        message: `${path} takes ${methods}`,
        headers: { allow: methods.replace("GET", "GET, HEAD") },
      });
    });
  }
}
