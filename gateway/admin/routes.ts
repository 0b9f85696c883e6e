/**
 * The routes of the operator's API, made from the table of its operations and one handler for each.
 *
 * @module
 */

import type { z } from "zod";
import { strict } from "../admin_api/fields.ts";
import type { AdminOperation } from "../admin_api/operation.ts";
import type { EntryMaker } from "../domain/operators/trail.ts";
import {
  type AnswerOf,
  type CheckedBodyOf,
  type CheckedQueryOf,
  type CommittedTarget,
  OPERATIONS_BY_NOUN,
  type SegmentOf,
  type Target,
} from "../admin_api/operations.ts";
import { unknownNames } from "../admin_api/policy.ts";
import { queryFields } from "../admin_api/query_fields.ts";
import { queryOf } from "../http/query_of.ts";
import { readJson } from "../http/read_json.ts";
import { validate, validateAll } from "../http/validation.ts";
import { ServiceFault } from "../domain/fault.ts";
import { rightMissing } from "../domain/operators/operator.ts";
import type { AdminApp, AdminContext, AdminDeps } from "./deps.ts";
import { type AnyCall, type AnyHandler, withTrail } from "./operators/with_trail.ts";
import { type Methods, resource } from "./resource.ts";

/** Maximum length of a JSON body, in bytes. */
const BODY_LIMIT_BYTES = 1024 * 1024;

/** One request of an operation. */
export type AdminCall<Name extends Target> =
  & PlainCall<Name>
  & (Name extends CommittedTarget ? CommittedCall : unknown);

/** The part of a request whose change is stored with its entry. */
interface CommittedCall {
  /** Makes the entry, which goes to the store with the change. */
  readonly entry: EntryMaker;
}

/** The part of a request that every operation has. */
interface PlainCall<Name extends Target> {
  readonly context: AdminContext;
  /** The segments of the path that the operation names. */
  readonly path: Readonly<Record<SegmentOf<Name>, string>>;
  /**
   * Asks again for the token and the right, which an answer that does not end outlives; false where
   * that cannot be told.
   */
  readonly mayGoOn: () => Promise<boolean>;
  /** Checks the query: each field at most once, none unknown. */
  readonly query: () => CheckedQueryOf<Name>;
  /** Reads and checks the JSON body; a policy in it may name only what the catalog has. */
  readonly body: () => Promise<CheckedBodyOf<Name>>;
}

/** Handlers by operation: each returns the JSON answer, or a response where it is no JSON. */
export type Handlers = {
  readonly [Name in Target]: (call: AdminCall<Name>) => Reply<Name> | Promise<Reply<Name>>;
};

type Reply<Name extends Target> = AnswerOf<Name> | Response;

/** Serves every operation of the table, and 405 for other methods at its addresses. */
export function serveOperations(app: AdminApp, deps: AdminDeps, handlers: Handlers): void {
  const byTarget: Readonly<Record<string, AnyHandler>> = handlers;
  const operations = Object.values(OPERATIONS_BY_NOUN).flatMap((noun) =>
    Object.entries<AdminOperation>(noun)
  );
  const byPath = Map.groupBy(operations, ([target]) => target.split(" ")[1] ?? "");
  for (const [path, atPath] of byPath) {
    const methods: Methods = Object.fromEntries(atPath.flatMap(([target, operation]) => {
      const plain = byTarget[target];
      if (plain === undefined) return [];
      const handler = withTrail({ operation, handler: plain, deps });
      return [[
        target.split(" ")[0],
        (context: AdminContext) => answer(context, operation, { handler, deps }),
      ]];
    }));
    resource(app, path.replaceAll(/\{(\w+)\}/g, ":$1"), methods);
  }
}

async function answer(
  context: AdminContext,
  { right, query = () => ({}), body, status }: AdminOperation,
  { handler, deps }: { readonly handler: AnyHandler; readonly deps: AdminDeps },
): Promise<Response> {
  const actor = context.get("actor");
  if (!actor.rights.includes(right)) {
    throw new ServiceFault("policy_denied", { message: rightMissing(actor, right) });
  }
  const call: AnyCall = {
    context,
    mayGoOn: async () => {
      const ask = context.get("actorNow");
      if (ask === undefined) return true;
      const now = await ask().catch(() => undefined);
      return now?.rights.includes(right) === true;
    },
    path: context.req.param(),
    query: () => validate(strict(query(queryFields(deps.clock.nowMs()))), queryOf(context.req)),
    body: () => readBody(context, body ?? strict({}), deps),
  };
  const reply = await handler(call);
  return reply instanceof Response ? reply : context.json(reply, status ?? 200);
}

async function readBody(
  context: AdminContext,
  schema: z.ZodObject,
  { catalogs }: AdminDeps,
): Promise<unknown> {
  const { value } = await readJson(context.req.raw, { maxBytes: BODY_LIMIT_BYTES });
  const hasPolicy = Object.hasOwn(schema.shape, "policy");
  return validateAll(schema, value, hasPolicy ? unknownNames(value, catalogs.current()) : []);
}
