/**
 * The one place where secrets are taken out of what callers and models said.
 *
 * @module
 */

import { secretSpans } from "./secret_spans.ts";

/** Stands where a secret stood. */
export const REDACTED = "[redacted]";

/** Beyond a cut, so many characters are looked at, so that no secret is cut in two and missed. */
const LOOK_AHEAD_CHARS = 512;

const SECRETS: readonly RegExp[] = [
  // Private keys, also those whose end is missing.
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/,
  // The service's own keys and admin tokens.
  /\bsvc_[A-Za-z0-9_]{8,}/,
  // Providers' keys, as they begin with their makers' marks.
  /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}/,
  /\bAIza[A-Za-z0-9_-]{20,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/,
  /\bgh[opsur]_[A-Za-z0-9]{16,}/,
  /\bgithub_pat_[A-Za-z0-9_]{16,}/,
  /\bglpat-[A-Za-z0-9_-]{16,}/,
  /\bxox[a-z]-[A-Za-z0-9-]{8,}/,
  /\bhf_[A-Za-z0-9]{16,}/,
  /\b(?:gsk|xai|tvly|BSA)[-_][A-Za-z0-9_-]{12,}/,
  // Signed tokens, and whatever an Authorization header carries.
  /\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,4}/,
  /\b(?:[Bb]earer|[Bb]asic)\s+[A-Za-z0-9._~+/=-]{8,}/,
  // What a header or a setting of that name carries, also in JSON within JSON.
  /\b(?:x-api-key|[Aa]pi[-_]?[Kk]ey|x-goog-api-key|[Pp]assw(?:or)?d|PASSWORD|API_KEY|access_token|secret_key)\\{0,8}["']?\s{0,4}[:=]\s{0,4}\\{0,8}["']?[^\s"'\\,;&<>()]{6,200}/,
  // Who stands before the host of an address.
  /:\/\/[^\s/@:"']{0,64}:[^\s/@"']{1,128}@/,
  // Addresses of people.
  /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/u,
  // Numbers as long as those of cards, in groups or not.
  /(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d])/,
];
const SECRET = new RegExp(SECRETS.map(({ source }) => source).join("|"), "gu");

/**
 * The beginning of a text, at most so many characters of it, without secrets: one that begins before
 * the cut is taken out whole.
 */
export function redacted(text: string, maxChars: number): string {
  const looked = text.slice(0, maxChars + LOOK_AHEAD_CHARS);
  let out = "";
  let from = 0;
  for (const { begin, end } of secretSpans(looked, { forms: [SECRET] })) {
    if (begin >= maxChars) break;
    out += looked.slice(from, begin) + REDACTED;
    from = end;
  }
  if (from < maxChars) out += looked.slice(from, maxChars);
  return out.toWellFormed();
}
