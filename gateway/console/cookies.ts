/** The value of a cookie in a `Cookie` header; `undefined` where it has none of that name. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  return cookiesOf(header, name)[0];
}

/**
 * The values of all cookies of a name. There may be several: whoever can set cookies for another path
 * of this host, as what runs on another port can, puts theirs before ours.
 */
export function cookiesOf(header: string | undefined, name: string): readonly string[] {
  return (header ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at > 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
}

/** How a cookie is set. */
export interface CookieOptions {
  /** Seconds to keep it; 0 removes it; left out, until the browser is closed. */
  readonly maxAgeSeconds?: number;
  /** Whether it goes over https only. */
  readonly isSecure: boolean;
}

/** A `Set-Cookie` header for this console alone: no script and no other site sees or sends it. */
export function setCookie(name: string, value: string, options: CookieOptions): string {
  const { maxAgeSeconds, isSecure } = options;
  return [
    `${name}=${value}`,
    "Path=/console",
    "HttpOnly",
    "SameSite=Strict",
    ...(maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`]),
    ...(isSecure ? ["Secure"] : []),
  ].join("; ");
}

/**
 * Whether a browser came by https. A proxy in front says so; and the browser itself, in the `Origin` of
 * a form. Whoever lies gets a cookie that the own browser does not send.
 */
export function cameByHttps(headers: Headers): boolean {
  return headers.get("x-forwarded-proto")?.trim().toLowerCase() === "https" ||
    headers.get("origin")?.startsWith("https://") === true;
}
