/**
 * The routes by which the holder of a key sees the key's own records: the key, its usage and its
 * requests. They never show text of a call.
 *
 * @module
 */

import type { Context } from "@hono/hono";
import type { z } from "zod";
import { type SignInLinkDeps, signInLinkJson } from "../admin/keys/sign_in_link.ts";
import { strict } from "../admin_api/fields.ts";
import {
  KEY_HOLDER_OPERATIONS,
  type KeyHolderName,
  type KeyHolderOperation,
  type OwnAnswer,
} from "../admin_api/key_holder.ts";
import { queryFields } from "../admin_api/query_fields.ts";
import type { PublicEnv } from "../http/env.ts";
import type { KeyedRoute } from "../http/public_app.ts";
import { queryOf } from "../http/query_of.ts";
import { validate } from "../http/validation.ts";
import { dropBody } from "../http/unread_body.ts";
import type { OwnRecords } from "./own_records.ts";

/** Handlers by operation: each returns the JSON answer. */
type Handlers = {
  readonly [Name in KeyHolderName]: (
    c: Context<PublicEnv>,
    query: z.output<z.ZodObject<ReturnType<QueryOf<Name>>, z.core.$strict>>,
  ) => Promise<OwnAnswer<Name>>;
};

type QueryOf<Name extends KeyHolderName> = (typeof KEY_HOLDER_OPERATIONS)[Name] extends
  { readonly query: infer Query extends (...fields: never[]) => z.ZodRawShape } ? Query
  : () => Record<never, never>;

/** A handler as it is called when its name, and so its types, are not known. */
type AnyHandler = {
  handle(c: Context<PublicEnv>, query: unknown): Promise<object>;
}["handle"];

/** Dependencies of the routes. */
export interface KeyHolderRoutes {
  readonly records: OwnRecords;
  /** Makes links to the key's own pages. */
  readonly links: SignInLinkDeps;
}

/** Returns the routes. */
export function keyHolderRoutes(
  { records, links }: KeyHolderRoutes,
): readonly KeyedRoute[] {
  const handlers: Handlers = {
    key: (c) => records.key(c.get("key")),
    signInLink: async (c) => {
      await dropBody(c.req.raw);
      return await signInLinkJson(c.get("key"), links);
    },
    usage: (c, query) => records.usage(c.get("key"), { query, signal: c.req.raw.signal }),
    requests: (c, query) => records.requests(c.get("key"), query),
    request: (c) => records.request(c.get("key"), c.req.param("id") ?? ""),
  };
  const byName: Readonly<Record<string, AnyHandler>> = handlers;
  return Object.entries<KeyHolderOperation>(KEY_HOLDER_OPERATIONS).flatMap(([name, operation]) => {
    const handler = byName[name];
    if (handler === undefined) return [];
    const { path, method = "GET" } = operation;
    const handle = async (c: Context<PublicEnv>) => {
      records.count(c.get("key"));
      const fields = operation.query?.(queryFields(records.nowMs)) ?? {};
      const query = validate(strict(fields), queryOf(c.req));
      return Response.json(await handler(c, query), {
        headers: { "cache-control": "private, no-store", "x-request-id": c.get("requestId") },
      });
    };
    return [{ method, path, handle }];
  });
}
