/**
 * Stands in for `@std/http/negotiation` where JSR cannot be reached: over `negotiator`, which the
 * real module is adapted from.
 *
 * @module
 */
// @ts-types="@types/negotiator"
import Negotiator from "negotiator";

function negotiator({ headers }: Pick<Request, "headers">): Negotiator {
  return new Negotiator({ headers: Object.fromEntries(headers) });
}

/** Returns the media types that the request accepts, the most wanted first. */
export function accepts(request: Pick<Request, "headers">): string[];
/** Returns the best of the types for the request, or `undefined` when it accepts none of them. */
export function accepts(
  request: Pick<Request, "headers">,
  ...types: string[]
): string | undefined;
export function accepts(
  request: Pick<Request, "headers">,
  ...types: string[]
): string | string[] | undefined {
  const accepted = negotiator(request);
  return types.length === 0 ? accepted.mediaTypes() : accepted.mediaTypes(types)[0];
}

/** Returns the languages that the request accepts, the most wanted first; `["*"]` for any. */
export function acceptsLanguages(request: Pick<Request, "headers">): string[];
/** Returns the best of the languages for the request, or `undefined` when it accepts none of them. */
export function acceptsLanguages(
  request: Pick<Request, "headers">,
  ...langs: string[]
): string | undefined;
export function acceptsLanguages(
  request: Pick<Request, "headers">,
  ...langs: string[]
): string | string[] | undefined {
  const accepted = negotiator(request);
  return langs.length === 0 ? accepted.languages() : accepted.languages(langs)[0];
}
