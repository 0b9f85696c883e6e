/**
 * Every operation of the operator's API, and the types of their requests and answers.
 *
 * @module
 */

import type { z } from "zod";
import type { Answer } from "./answer.ts";
import { CATALOG_OPERATIONS } from "./operations/catalog.ts";
import { CORRECTION_OPERATIONS } from "./operations/corrections.ts";
import { KEY_OPERATIONS } from "./operations/keys.ts";
import { LEDGER_OPERATIONS } from "./operations/ledger.ts";
import { NOTIFICATION_OPERATIONS } from "./operations/notifications.ts";
import { OPERATOR_OPERATIONS } from "./operations/operators.ts";
import { PLAYGROUND_OPERATIONS } from "./operations/playground.ts";
import { REQUEST_OPERATIONS } from "./operations/requests.ts";
import { ROUTING_OPERATIONS } from "./operations/routing.ts";
import { SECRET_OPERATIONS } from "./operations/secrets.ts";
import { VECTOR_STORE_OPERATIONS } from "./operations/vector_stores.ts";
import { WALLET_OPERATIONS } from "./operations/wallets.ts";

/** The operations by noun, in the order in which they are described. */
export const OPERATIONS_BY_NOUN = {
  "Wallets": WALLET_OPERATIONS,
  "Corrections": CORRECTION_OPERATIONS,
  "Keys": KEY_OPERATIONS,
  "Secrets": SECRET_OPERATIONS,
  "Catalog": CATALOG_OPERATIONS,
  "Playground": PLAYGROUND_OPERATIONS,
  "Requests": REQUEST_OPERATIONS,
  "Routing": ROUTING_OPERATIONS,
  "Ledger": LEDGER_OPERATIONS,
  "Vector stores": VECTOR_STORE_OPERATIONS,
  "Notifications": NOTIFICATION_OPERATIONS,
  "Operators": OPERATOR_OPERATIONS,
} as const;

type Nouns = typeof OPERATIONS_BY_NOUN;
/** All operations by method and path. */
type Operations = UnionToIntersection<Nouns[keyof Nouns]>;
type UnionToIntersection<Union> = (Union extends unknown ? (value: Union) => void : never) extends
  (value: infer Intersection) => void ? Intersection : never;

/** An operation by method and path, as `POST /wallets/{id}/credit`. */
export type Target = keyof Operations & string;

/** The definition of an operation. */
export type OperationOf<Name extends Target> = Operations[Name];

/** The JSON answer of an operation; `never` where it only streams. */
export type AnswerOf<Name extends Target> = OperationOf<Name> extends
  { readonly answer: infer Schema extends z.ZodType } ? Answer<Schema> : never;

/** The JSON body of an operation as a client sends it; `never` where it takes none. */
export type BodyOf<Name extends Target> = OperationOf<Name> extends
  { readonly body: infer Schema extends z.ZodType } ? z.input<Schema> : never;

/** Names of the fields that the query of an operation may have. */
export type QueryNameOf<Name extends Target> = OperationOf<Name> extends
  { readonly query: (...fields: never[]) => infer Fields } ? keyof Fields & string : never;

/** Names in braces in the path of an operation. */
export type SegmentOf<Name extends string> = Name extends `${string}{${infer First}}${infer Rest}`
  ? First | SegmentOf<Rest>
  : never;

/** The targets of operations whose entry of the audit log is committed with their change. */
export type CommittedTarget = {
  [Name in Target]: OperationOf<Name> extends { readonly trail: "commit" } ? Name : never;
}[Target];

/** The JSON body of an operation as its handler has it, checked and with defaults. */
export type CheckedBodyOf<Name extends Target> = OperationOf<Name> extends
  { readonly body: infer Schema extends z.ZodType } ? z.output<Schema> : never;

/** The query of an operation as its handler has it, checked and with defaults. */
export type CheckedQueryOf<Name extends Target> = OperationOf<Name> extends
  { readonly query: (...fields: never[]) => infer Shape extends z.ZodRawShape }
  ? z.output<z.ZodObject<Shape, z.core.$strict>>
  : never;
