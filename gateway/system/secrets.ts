/**
 * The one place where secrets are taken out of what leaves the process for the operator's eyes: lines
 * of the log, on the machine and where they are exported to.
 *
 * @module
 */

import { secretSpans, withoutSpans, writingsOf } from "../domain/redaction/secret_spans.ts";

/** Shorter values are no secrets: taking them out would make words unreadable. */
const SECRET_CHARS_MIN = 8;
/** Most values that are known at once: those of a configuration, and of its changes. */
const KNOWN_MAX = 1_000;
/** Most characters of one text that the log takes. */
const TEXT_CHARS_MAX = 65_536;
/** Beyond a cut, so many more are looked at, so that no secret is cut in two and missed. */
const LOOK_AHEAD_CHARS = 8_192;
/** What takes their place. */
const REMOVED = "[removed]";

/**
 * Secrets by their form, whether they are this service's or another's. Group 1 is kept. Whatever a form
 * has begun with it takes, so that no other of its beginnings is looked at in vain: time by length alone.
 */
const FORMS: readonly RegExp[] = [
  // Keys and tokens of this service, whole or cut, and sessions of its console.
  /\b(svc_(?:live|admin)_)[A-Za-z0-9_]+/g,
  /\b(svc_session(?:_\d+)?=)[A-Za-z0-9_]+/g,
  // What a header would carry.
  /\b((?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{6,}/gi,
  /\b((?:x-api-key|api[-_]?key|x-goog-api-key|x-subscription-token|authorization|password|(?:client|access|secret|refresh|session|security)[-_]?(?:secret|token|access[-_]?key))\\{0,8}["']?\s*(?:[:=]|%3[AD])\s*\\{0,8}["']?(?:token\s+)?)[A-Za-z0-9._~+/=-]{6,}/gi,
  // What a signed link, or an address of a provider, is opened by.
  /([?&](?:signature|sig|token|key|api_key|access_token|x-amz-[a-z-]+)=)[^&\s"'<>]+/gi,
  // Who stands before the host of an address.
  /(:\/\/)[^/@\s"']+@/g,
  // Forms of providers' keys, of signed tokens and of private keys.
  /\bsk-[A-Za-z0-9_-]{8,}/g,
  /\b(?:gsk|xai|tvly|BSA|nvapi|glpat)[-_][A-Za-z0-9_-]{12,}/g,
  /\b(?:hf|gh[opsur]|github_pat)_[A-Za-z0-9_]{16,}/g,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bya29\.[A-Za-z0-9._-]+/g,
  /\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,4}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

/** Secrets that the process knows. */
export class Secrets {
  readonly #known = new Set<string>();
  /** Each as it may be written. */
  readonly #writings = new Set<string>();

  /** From here on a value is taken out wherever it stands; without the line break that files end in. */
  add(given: string | undefined): void {
    const value = given?.trim() ?? "";
    if (value.length < SECRET_CHARS_MIN) return;
    if (this.#known.size >= KNOWN_MAX || this.#known.has(value)) return;
    this.#known.add(value);
    for (const writing of writingsOf(value)) this.#writings.add(writing);
  }

  /** The text without secrets, however they are written; of a long one its beginning. */
  remove(text: string): string {
    const looked = text.slice(0, TEXT_CHARS_MAX + LOOK_AHEAD_CHARS);
    const spans = secretSpans(looked, { writings: [...this.#writings], forms: FORMS });
    if (text.length <= TEXT_CHARS_MAX) return withoutSpans(text, spans, REMOVED);
    const inside = spans.filter(({ begin }) => begin < TEXT_CHARS_MAX);
    const end = Math.max(TEXT_CHARS_MAX, inside.at(-1)?.end ?? 0);
    const kept = withoutSpans(looked.slice(0, end), inside, REMOVED);
    return `${kept} … and ${text.length - end} characters more`;
  }
}
