/**
 * True when a change was requested by a page of this console: by its `Origin`, or, where a browser
 * sends none, by `Sec-Fetch-Site`. A page can set neither. `SameSite` alone does not distinguish two
 * ports of one host.
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
