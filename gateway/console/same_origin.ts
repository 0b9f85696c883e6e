/**
 * Whether a change was asked for by a page of this console: by its `Origin`, or, where a browser sends
 * none, by `Sec-Fetch-Site`. Neither can be set by a page. `SameSite` alone does not tell two ports of
 * one host apart.
 */
export function isSameOrigin(headers: Headers): boolean {
  const origin = headers.get("origin");
  if (origin === null) return headers.get("sec-fetch-site") === "same-origin";
  const host = headers.get("host");
  if (host === null) return false;
  try {
    const { protocol, host: from } = new URL(origin);
    return /^https?:$/.test(protocol) && from === new URL(`${protocol}//${host}`).host;
  } catch {
    // "null", and what is no address.
    return false;
  }
}
