import { requestIdOf } from "./answer.ts";
import type { CallOptions, WithRequestId } from "./call.ts";
import { ConfigurationError } from "./errors.ts";
import type { OptionKinds } from "./option_kinds.ts";
import { CALL_KINDS } from "./run/run_options.ts";
import type { Transport, TransportCall } from "./transport.ts";

/** Options of a call that calls no model. */
export type ModellessOptions = Omit<CallOptions, "auto" | "tags">;

const { auto: _auto, tags: _tags, ...KINDS } = CALL_KINDS;

/** The kinds of {@linkcode ModellessOptions}. */
export const MODELLESS_KINDS: OptionKinds<ModellessOptions> = KINDS;

/** A call that is answered by one object. */
export interface Question<Value> extends TransportCall {
  /** True for an answer whose lists and objects can be used without a check. */
  readonly is: (value: Value) => boolean;
  /** Name of such an answer: "something else than …". */
  readonly of: string;
}

/** An answer with the id of its call. */
export interface Answered<Value> {
  readonly value: Value;
  readonly requestId: string | undefined;
}

/** Sends a call and checks its answer. */
export async function ask<Value extends object>(
  transport: Transport,
  { is, of, ...call }: Question<Value>,
): Promise<Answered<Value>> {
  const { answer, value } = await transport.json(call);
  const own = value as Value;
  if (!is(own)) throw answer.error(value, `The service answered with something else than ${of}`);
  return { value: own, requestId: requestIdOf(value, answer.response) };
}

/** Sends a call whose answer gets the id of the call as `requestId`. */
export async function askWithId<Value extends object>(
  transport: Transport,
  question: Question<Value>,
): Promise<WithRequestId<Value>> {
  const { value, requestId } = await ask(transport, question);
  return { ...value, requestId };
}

/**
 * Returns an id as a part of a path.
 *
 * @throws {ConfigurationError} It is no id: empty, or a step to another address.
 */
export function idPart(id: string, of: string): string {
  if (typeof id === "string" && !/^\.{0,2}$/.test(id)) return encodeURIComponent(id);
  throw new ConfigurationError(`Cannot ask for ${of}: its id is missing`);
}

/** Returns the query of an address, with its question mark, in the order of the names; empty without fields. */
export function searchOf(fields: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)]]
  );
  if (given.length === 0) return "";
  const search = new URLSearchParams(given);
  search.sort();
  return `?${search}`;
}

/** True for an object, lists included. */
export function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** True for a list of objects. */
export function isList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isObject);
}
