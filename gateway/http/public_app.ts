/**
 * The public listener, which applications call.
 *
 * @module
 */

import { Hono } from "@hono/hono";
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
import { authenticate, type FindKey } from "./middleware/authenticate.ts";
import { logDenied } from "./middleware/log_denied.ts";
import { rateLimitHeaders } from "./middleware/rate_limit_headers.ts";
import { requestId } from "./middleware/request_id.ts";
import { PUBLIC_PATHS, routeOf } from "./public_paths.ts";
import { getModelMeta, getPricing, listModels } from "./routes/catalog.ts";
import { getDocument, getReference, type ListenerDescription } from "./routes/description.ts";
import { postFeedback } from "./routes/feedback.ts";
import { chatCompletions } from "./routes/chat_completions.ts";
import { editImages, generateImages, getFile } from "./routes/images.ts";
import { healthz, type Readiness, readyz } from "./routes/health.ts";
import { getOpenAIModel, listOpenAIModels } from "./routes/openai_models.ts";
import { createResponse } from "./routes/responses.ts";
import { routeStoredResponses } from "./routes/stored_responses.ts";

/** Parts of the service that the public listener uses. */
export type PublicGateway = ModelCallDeps & EdgeDeps & {
  readonly feedback: Pick<Feedback, "admit" | "vote">;
};

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
  const keyed = authenticate(findKey, { badKeys, onDenied: logDenied(calls, gateway) });
  app.use(requestId(gateway.rng));
  app.get(PUBLIC_PATHS.health, healthz());
  app.get(PUBLIC_PATHS.readiness, readyz(readiness));
  app.get(PUBLIC_PATHS.models, listModels(gateway));
  app.get(PUBLIC_PATHS.modelMeta, keyed, getModelMeta(gateway));
  app.get(PUBLIC_PATHS.pricing, keyed, getPricing(gateway));
  app.get(PUBLIC_PATHS.openAIModels, keyed, listOpenAIModels(gateway));
  app.get(routeOf(PUBLIC_PATHS.openAIModel), keyed, getOpenAIModel(gateway));
  app.post(PUBLIC_PATHS.feedback, keyed, postFeedback(gateway.feedback));
  const limited = rateLimitHeaders();
  app.post(PUBLIC_PATHS.chat, keyed, limited, chatCompletions(calls));
  app.post(PUBLIC_PATHS.responses, keyed, limited, createResponse(calls));
  app.post(PUBLIC_PATHS["images.generations"], keyed, limited, generateImages(calls));
  app.post(PUBLIC_PATHS["images.edits"], keyed, limited, editImages(calls));
  routeStoredResponses(app, { keyed, responses: gateway.responses });
  app.get(routeOf(PUBLIC_PATHS.file), getFile(gateway, options.files));
  app.get(PUBLIC_PATHS.document, getDocument(options.description));
  app.get(PUBLIC_PATHS.reference, getReference(options.description, options.publicUrl));
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
  app.onError((error, c) => {
    // The id is missing only where the request sent an invalid one.
    const id = c.get("requestId") ?? gateway.rng.id("req");
    if (error instanceof CallerDisconnected) {
      return new Response(null, { status: CALLER_DISCONNECTED_STATUS });
    }
    const fault = faultForCaller(gateway, error, id);
    options.onRefusal?.(fault.code);
    return errorResponse(fault, id, c.get("dialect"));
  });
  return app;
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
