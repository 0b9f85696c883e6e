/**
 * Responses that were kept: the resource, its input, and their end. A key finds those of its wallet;
 * of any other, as of one that is not there, it is told the same.
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
import { requireEndpoint } from "../require_endpoint.ts";

/** What the routes of stored responses stand on. */
export interface StoredResponseRoutes {
  /** Lets requests with a good key through. */
  readonly keyed: MiddlewareHandler<PublicEnv>;
  readonly responses: ResponseStore;
}

type Handler<Path extends string> = (c: Context<PublicEnv, Path>) => Promise<Response>;

const RESPONSE = "/openai/v1/responses/:id";
const INPUT_ITEMS = `${RESPONSE}/input_items` as const;

/** Adds the routes of stored responses to an application. */
export function routeStoredResponses(app: Hono<PublicEnv>, options: StoredResponseRoutes): void {
  const { keyed, responses } = options;
  app.get(RESPONSE, keyed, getResponse(responses));
  app.delete(RESPONSE, keyed, deleteResponse(responses));
  app.get(INPUT_ITEMS, keyed, listInputItems(responses));
}

function getResponse(responses: ResponseStore): Handler<typeof RESPONSE> {
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

function deleteResponse(responses: ResponseStore): Handler<typeof RESPONSE> {
  return async (c) => {
    const key = c.get("key");
    requireEndpoint(key, "responses");
    const id = c.req.param("id");
    if (!await responses.delete(key.walletId, id)) throw noSuchResponse();
    return answer(c, JSON.stringify({ id, object: "response", deleted: true }));
  };
}

function listInputItems(responses: ResponseStore): Handler<typeof INPUT_ITEMS> {
  return async (c) => {
    requireEndpoint(c.get("key"), "responses");
    const query = inputItemsQuery(new URL(c.req.url).searchParams);
    const { input } = await find(c, responses);
    return answer(c, inputItemsPage(input, query));
  };
}

async function find(
  c: Context<PublicEnv, typeof RESPONSE>,
  responses: ResponseStore,
): Promise<StoredResponse> {
  const found = await responses.get(c.get("key").walletId, c.req.param("id"));
  if (found === undefined) throw noSuchResponse();
  return found;
}

/** It does not repeat the id: what was asked for tells nothing, and may be of any length. */
function noSuchResponse(): ServiceFault {
  return new ServiceFault("not_found", {
    message: "There is no such response: it never was, was not stored, has expired or was deleted",
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
