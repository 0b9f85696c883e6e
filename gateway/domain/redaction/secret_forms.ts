/**
 * Forms of secrets: of this service, of providers and of headers. Group 1 of a form is the prefix
 * that a log line may keep. Each form consumes all that it begins with, so that matching takes time
 * linear in the length of the text.
 */
export const SECRET_FORMS: readonly RegExp[] = [
  // Keys, admin tokens and console sessions of this service, complete or cut.
  /\b(svc_(?:live|admin|link|me)_)[A-Za-z0-9_]+/g,
  /\b(svc_session(?:_\d+)?=)[A-Za-z0-9_]+/g,
  // Values of authorization headers.
  /\b((?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{8,}/gi,
  // Values of headers and settings by name, also in JSON within JSON.
  /\b((?:x-api-key|api[-_]?key|x-goog-api-key|x-subscription-token|authorization|passw(?:or)?d|(?:client|access|secret|refresh|session|security)[-_]?(?:secret|token|key|access[-_]?key))\\{0,8}["']?\s*(?:[:=]|%3[AD])\s*\\{0,8}["']?(?:token\s+)?)[^\s"'\\,;&<>()]{6,}/gi,
  // Parameters of signed links and of providers' addresses.
  /([?&](?:signature|sig|token|key|api_key|access_token|x-amz-[a-z-]+)=)[^&\s"'<>]+/gi,
  // User and password before the host of an address.
  /(:\/\/)[^/@\s"']+@/g,
  // Keys of providers and of code hosts.
  /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}/g,
  /\b(?:gsk|xai|tvly|BSA|nvapi|glpat)[-_][A-Za-z0-9_-]{12,}/g,
  /\b(?:hf|gh[opsur]|github_pat)_[A-Za-z0-9_]{16,}/g,
  /\bxox[a-z]-[A-Za-z0-9-]{8,}/g,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
  /\bya29\.[A-Za-z0-9._-]+/g,
  // Signed tokens.
  /\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,4}/g,
  // Private keys, also without their end.
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
];
