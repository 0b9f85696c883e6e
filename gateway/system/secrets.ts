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
  // Keys and tokens of this service, whole or cut, and sessions of its console.
  /\b(svc_(?:live|admin)_)[A-Za-z0-9_]+/g,
  /\b(svc_session(?:_\d+)?=)[A-Za-z0-9_]+/g,
  // What a header would carry.
  /\b((?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{6,}/gi,
  /\b((?:x-api-key|api[-_]?key|x-goog-api-key|authorization|password)\\{0,8}["']?\s*(?:[:=]|%3[AD])\s*\\{0,8}["']?(?:token\s+)?)[A-Za-z0-9._~+/=-]{6,}/gi,
  // What a signed link, or an address of a provider, is opened by.
  /([?&](?:signature|sig|token|key|api_key|access_token|x-amz-[a-z-]+)=)[^&\s"'<>]+/gi,
  // Who stands before the host of an address.
  /(:\/\/)[^/@\s"']+@/g,
  // Forms of providers' keys, of signed tokens and of private keys.
  /()\bsk-[A-Za-z0-9_-]{8,}/g,
  /()\b(?:gsk|xai|tvly|BSA)[-_][A-Za-z0-9_-]{12,}/g,
  /()\b(?:hf|gh[opsur]|github_pat)_[A-Za-z0-9_]{16,}/g,
  /()\bAIza[A-Za-z0-9_-]{20,}/g,
  /()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /()\bya29\.[A-Za-z0-9._-]+/g,
  /()\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

/** Secrets that the process knows. */
export class Secrets {
  readonly #known = new Set<string>();
  /** Each as it may be written, the longest first: one may be the beginning of another. */
  #written: readonly string[] = [];

  /** From here on a value is taken out wherever it stands. */
  add(value: string | undefined): void {
    if (value === undefined || value.length < SECRET_CHARS_MIN) return;
    if (this.#known.size >= KNOWN_MAX || this.#known.has(value)) return;
    this.#known.add(value);
    const written = new Set([...this.#written, ...formsOf(value)]);
    this.#written = [...written].sort((one, other) => other.length - one.length);
  }

  /** The text without secrets. */
  remove(text: string): string {
    let out = text;
    for (const secret of this.#written) {
      if (out.includes(secret)) out = out.replaceAll(secret, REMOVED);
    }
    for (const form of FORMS) out = out.replace(form, `$1${REMOVED}`);
    return out;
  }
}

/** A value as it is, in an address, and in JSON that an upstream's error quotes. */
function formsOf(value: string): readonly string[] {
  return [value, encodeURIComponent(value.toWellFormed()), JSON.stringify(value).slice(1, -1)];
}
