/**
 * The public listener: what applications call.
 *
 * @module
 */

import { Hono } from "@hono/hono";
import type { ErrorCode } from "@svc/sdk/protocol";
import { ServiceFault } from "../domain/fault.ts";
import { CallerDisconnected } from "../flows/call/caller_disconnected.ts";
import { CALLER_LEFT_STATUS } from "../flows/settle/log_failure.ts";
import type { GatewayContext } from "../flows/context.ts";
import type { SignedLinks } from "../flows/images/signed_links.ts";
import type { BlobStore } from "../ports/blob_store.ts";
import { limitsInForce } from "../domain/limits/service_limits.ts";
import { BadKeys } from "./bad_keys.ts";
import type { PublicEnv } from "./env.ts";
import { errorResponse, toldFault } from "./error_response.ts";
import { authenticate, type FindKey } from "./middleware/authenticate.ts";
import { logDenied } from "./middleware/log_denied.ts";
import { rateLimitHeaders } from "./middleware/rate_limit_headers.ts";
import { requestId } from "./middleware/request_id.ts";
import { getModelMeta, getPricing, listModels } from "./routes/catalog.ts";
import { getDocument, getReference, type ListenerDescription } from "./routes/description.ts";
import { chatCompletions } from "./routes/chat_completions.ts";
import { editImages, generateImages, getFile } from "./routes/images.ts";
import { healthz, type Readiness, readyz } from "./routes/health.ts";
import { getOpenAIModel, listOpenAIModels } from "./routes/openai_models.ts";
import { createResponse } from "./routes/responses.ts";
import { routeStoredResponses } from "./routes/stored_responses.ts";

/** What the public listener stands on. */
export interface PublicAppOptions {
  readonly gateway: GatewayContext;
  readonly findKey: FindKey;
  readonly readiness: Readiness;
  readonly description: ListenerDescription;
  /** Told of every error answer. @default {nobody is told} */
  readonly onRefusal?: ((code: ErrorCode) => void) | undefined;
  /** What signed links lead to. */
  readonly files: { readonly blobs: BlobStore; readonly links: Pick<SignedLinks, "verify"> };
  /** Where applications call. @default {as the request names it} */
  readonly publicUrl?: (() => string) | undefined;
}

/** Paths and the methods each takes. */
const PATHS = [
  ["GET", "/healthz"],
  ["GET", "/readyz"],
  ["GET", "/api/v1/models"],
  ["GET", "/api/v1/models/meta"],
  ["GET", "/api/v1/pricing"],
  ["GET", "/openai/v1/models"],
  ["GET", "/openai/v1/models/:model"],
  ["POST", "/openai/v1/chat/completions"],
  ["POST", "/openai/v1/responses"],
  ["POST", "/openai/v1/images/generations"],
  ["POST", "/openai/v1/images/edits"],
  ["GET, DELETE", "/openai/v1/responses/:id"],
  ["GET", "/openai/v1/responses/:id/input_items"],
  ["GET", "/files/:id"],
  ["GET", "/openapi.json"],
  ["GET", "/reference"],
] as const;

/** Addresses of OpenAI's that would else be taken for the id of a response. */
const NOT_OFFERED = ["/openai/v1/responses/compact", "/openai/v1/responses/input_tokens"];

/** Builds the application; it listens nowhere by itself. */
export function createPublicApp(options: PublicAppOptions): Hono<PublicEnv> {
  const { gateway, findKey, readiness } = options;
  const app = new Hono<PublicEnv>();
  const badKeys = new BadKeys({
    keyClass: "service",
    limit: () => limitsInForce(gateway.catalogs.current()).badKeysPerMinute,
    clock: gateway.clock,
    logger: gateway.logger,
  });
  const keyed = authenticate(findKey, { badKeys, onDenied: logDenied(gateway) });
  app.use(requestId(gateway.rng));
  app.get("/healthz", healthz());
  app.get("/readyz", readyz(readiness));
  app.get("/api/v1/models", listModels(gateway));
  app.get("/api/v1/models/meta", keyed, getModelMeta(gateway));
  app.get("/api/v1/pricing", keyed, getPricing(gateway));
  app.get("/openai/v1/models", keyed, listOpenAIModels(gateway));
  app.get("/openai/v1/models/:model", keyed, getOpenAIModel(gateway));
  const limited = rateLimitHeaders(gateway);
  app.post("/openai/v1/chat/completions", keyed, limited, chatCompletions(gateway));
  app.post("/openai/v1/responses", keyed, limited, createResponse(gateway));
  app.post("/openai/v1/images/generations", keyed, limited, generateImages(gateway));
  app.post("/openai/v1/images/edits", keyed, limited, editImages(gateway));
  routeStoredResponses(app, { keyed, responses: gateway.responses });
  app.get("/files/:id", getFile(gateway, options.files));
  app.get("/openapi.json", getDocument(options.description));
  app.get("/reference", getReference(options.description, options.publicUrl));
  for (const path of NOT_OFFERED) {
    app.all(path, () => {
      throw new ServiceFault("not_found");
    });
  }
  for (const [methods, path] of PATHS) {
    app.all(path, () => {
      throw new ServiceFault("method_not_allowed", {
        message: `${path} takes ${methods}`,
        headers: { allow: methods.replace("GET", "GET, HEAD") },
      });
    });
  }
  app.notFound((c) => {
    options.onRefusal?.("not_found");
    return errorResponse(new ServiceFault("not_found"), c.get("requestId"));
  });
  app.onError((error, c) => {
    // The id is missing only where the one that was sent is what was wrong.
    const id = c.get("requestId") ?? gateway.rng.id("req");
    if (error instanceof CallerDisconnected) {
      return new Response(null, { status: CALLER_LEFT_STATUS });
    }
    const fault = toldFault(gateway, error, id);
    options.onRefusal?.(fault.code);
    return errorResponse(fault, id, c.get("dialect"));
  });
  return app;
}
