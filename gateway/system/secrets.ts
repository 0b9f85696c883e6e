/**
 * The one place where secrets are taken out of what leaves the process for the operator's eyes: lines
 * of the log, on the machine and where they are exported to.
 *
 * @module
 */

/** Shorter values are no secrets: taking them out would make words unreadable. */
const SECRET_CHARS_MIN = 8;
/** Most values that are known at once: those of a configuration, and of its changes. */
const KNOWN_MAX = 1_000;
/** What takes their place. */
const REMOVED = "[removed]";

/** Secrets by their form, whether they are this service's or another's. Group 1 is kept. */
const FORMS: readonly RegExp[] = [
  // Keys and tokens of this service, whole or cut.
  /\b(svc_(?:live|admin)_)[A-Za-z0-9_]+/g,
  // What a header would carry.
  /\b((?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{6,}/gi,
  /\b((?:x-api-key|api[-_]?key|x-goog-api-key|authorization)["']?\s*[:=]\s*["']?)[A-Za-z0-9._~+/=-]{6,}/gi,
  // What a signed link, or an address of a provider, is opened by.
  /([?&](?:signature|sig|token|key|api_key|access_token|x-amz-[a-z-]+)=)[^&\s"'<>]+/gi,
  // Who stands before the host of an address.
  /(:\/\/)[^/@\s"']+@/g,
  // Forms of providers' keys, of signed tokens and of private keys.
  /()\bsk-[A-Za-z0-9_-]{8,}/g,
  /()\bAIza[A-Za-z0-9_-]{20,}/g,
  /()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /()\bya29\.[A-Za-z0-9._-]+/g,
  /()\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

/** Secrets that the process knows. */
export class Secrets {
  readonly #known = new Set<string>();

  /** From here on a value is taken out wherever it stands. */
  add(value: string | undefined): void {
    if (value === undefined || value.length < SECRET_CHARS_MIN) return;
    if (this.#known.size < KNOWN_MAX) this.#known.add(value);
  }

  /** The text without secrets. */
  remove(text: string): string {
    let out = text;
    for (const secret of this.#known) {
      if (out.includes(secret)) out = out.replaceAll(secret, REMOVED);
    }
    for (const form of FORMS) out = out.replace(form, `$1${REMOVED}`);
    return out;
  }
}
