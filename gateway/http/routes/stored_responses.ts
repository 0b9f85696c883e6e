/**
 * The routes of stored responses: the resource, its input and their deletion. A key finds the responses
 * of its wallet; a response of another wallet answers like one that does not exist.
 *
 * @module
 */

import type { Context, Hono, MiddlewareHandler } from "@hono/hono";
import { ServiceFault } from "../../domain/fault.ts";
import type { ResponseStore, StoredResponse } from "../../ports/response_store.ts";
import { rewrittenIn } from "../../wire/metadata.ts";
import { dialectOf } from "../dialect.ts";
import type { PublicEnv } from "../env.ts";
import { inputItemsPage, inputItemsQuery } from "../input_items.ts";
import { PUBLIC_PATHS, routeOf } from "../public_paths.ts";
import { requireEndpoint } from "../require_endpoint.ts";

/** Dependencies of the routes of stored responses. */
export interface StoredResponseRoutes {
  /** Refuses requests without a valid key. */
  readonly keyed: MiddlewareHandler<PublicEnv>;
  readonly responses: ResponseStore;
}

type Handler = (c: Context<PublicEnv>) => Promise<Response>;

/** Adds the routes of stored responses to an application. */
export function routeStoredResponses(app: Hono<PublicEnv>, options: StoredResponseRoutes): void {
  const { keyed, responses } = options;
  const response = routeOf(PUBLIC_PATHS.response);
  app.get(response, keyed, getResponse(responses));
  app.delete(response, keyed, deleteResponse(responses));
  app.get(routeOf(PUBLIC_PATHS.inputItems), keyed, listInputItems(responses));
}

function getResponse(responses: ResponseStore): Handler {
  return async (c) => {
    requireEndpoint(c.get("key"), "responses");
    const streams = c.req.queries("stream") ?? [];
    if (streams.some((stream) => stream !== "false")) {
      throw new ServiceFault("invalid_request", {
        message: "A stored response is not streamed again; leave stream out",
        param: "stream",
      });
    }
    const dialect = dialectOf(c.req.raw.headers, c.get("key").policy);
    return answer(c, rewrittenIn(dialect, (await find(c, responses)).resource));
  };
}

function deleteResponse(responses: ResponseStore): Handler {
  return async (c) => {
    const key = c.get("key");
    requireEndpoint(key, "responses");
    const id = idOf(c);
    if (!await responses.delete(key.walletId, id)) throw noSuchResponse();
    return answer(c, JSON.stringify({ id, object: "response", deleted: true }));
  };
}

function listInputItems(responses: ResponseStore): Handler {
  return async (c) => {
    requireEndpoint(c.get("key"), "responses");
    const query = inputItemsQuery(new URL(c.req.url).searchParams);
    const { input } = await find(c, responses);
    return answer(c, inputItemsPage(input, query));
  };
}

async function find(c: Context<PublicEnv>, responses: ResponseStore): Promise<StoredResponse> {
  const stored = await responses.get(c.get("key").walletId, idOf(c));
  if (stored === undefined) throw noSuchResponse();
  return stored;
}

function idOf(c: Context<PublicEnv>): string {
  return c.req.param("id") ?? "";
}

/** The message does not repeat the id, which is of no use and may be of any length. */
function noSuchResponse(): ServiceFault {
  return new ServiceFault("not_found", {
    message:
      "There is no such response: it never existed, was not stored, has expired or was deleted",
    param: "response_id",
  });
}

function answer(c: Context<PublicEnv>, text: string): Response {
  return new Response(text, {
    headers: {
      "content-type": "application/json",
      "cache-control": "private, no-store",
      "x-request-id": c.get("requestId"),
    },
  });
}
