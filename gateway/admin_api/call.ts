/**
 * Calls of the operator's API, as its clients write them. Loads no schema: the types alone check a
 * call.
 *
 * @module
 */

import type { BodyOf, QueryNameOf, SegmentOf, Target } from "./operations.ts";

/** Fields of a query; those without a value are left out. */
type Query<Field extends string> = Readonly<Partial<Record<Field, string | undefined>>>;

/** The variable parts of a call: segments of the path by name, fields of the query, and the body. */
export type CallOf<Name extends Target> =
  & Readonly<Record<SegmentOf<Name>, string>>
  & ([QueryNameOf<Name>] extends [never] ? unknown : {
    readonly query?: Query<QueryNameOf<Name>> | URLSearchParams | undefined;
  })
  & ([BodyOf<Name>] extends [never] ? unknown : { readonly body: BodyOf<Name> });

/** A call whose body is sent as it was entered: the API checks it. */
export type UncheckedCall<Name extends Target> = Readonly<Record<SegmentOf<Name>, string>> & {
  readonly query?: Query<QueryNameOf<Name>> | URLSearchParams | undefined;
  readonly body?: unknown;
};

/** The arguments of an unchecked call: none are needed where the path has no names. */
export type UncheckedArguments<Name extends Target> = Record<never, never> extends
  UncheckedCall<Name> ? [call?: UncheckedCall<Name>]
  : [call: UncheckedCall<Name>];

/** The arguments of a call: none are needed where the path has no names and no body is sent. */
export type CallArguments<Name extends Target> = Record<never, never> extends CallOf<Name>
  ? [call?: CallOf<Name>]
  : [call: CallOf<Name>];

/** A call as HTTP sends it. */
export interface HttpCall {
  readonly method: string;
  /** Below `/admin/v1`, with the query. */
  readonly path: string;
  /** JSON; absent where the operation takes no body. */
  readonly body: string | undefined;
}

/** Writes a call for HTTP, with its path segments and query escaped. */
export function httpCall<Name extends Target>(
  target: Name,
  ...[call]: CallArguments<Name> | UncheckedArguments<Name>
): HttpCall {
  const { query, body, ...segments }: {
    readonly query?: Query<string> | URLSearchParams | undefined;
    readonly body?: unknown;
    readonly [segment: string]: unknown;
  } = call ?? {};
  const [method = "", template = ""] = target.split(" ");
  const path = template.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => encodeURIComponent(String(segments[name]).toWellFormed()),
  );
  const search = searchOf(query);
  return {
    method,
    path: search === "" ? path : `${path}?${search}`,
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

function searchOf(query: Query<string> | URLSearchParams = {}): string {
  if (query instanceof URLSearchParams) return query.toString();
  const fields = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]]
  );
  return new URLSearchParams(fields).toString();
}
