/** The value of a cookie in a `Cookie` header; `undefined` where it has none of that name. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  return cookiesOf(header, name)[0];
}

/**
 * Returns the values of all cookies of a name. There may be several: a program that can set cookies for
 * another path of this host, such as a service on another port, puts its own before ours.
 */
export function cookiesOf(header: string | undefined, name: string): readonly string[] {
  return (header ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at > 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
}

/** Options of a cookie. */
export interface CookieOptions {
  /** Seconds to keep it; 0 removes it; left out, until the browser is closed. */
  readonly maxAgeSeconds?: number;
  /** True when the cookie is sent over https only. */
  readonly isSecure: boolean;
  /** @default {"Strict"} */
  readonly sameSite?: "Strict" | "Lax";
  /** @default {"/console"} */
  readonly path?: string;
}

/** A `Set-Cookie` header for this console alone: no script and no other site sees or sends it. */
export function setCookie(name: string, value: string, options: CookieOptions): string {
  const { maxAgeSeconds, isSecure, sameSite = "Strict", path = "/console" } = options;
  return [
    `${name}=${value}`,
    `Path=${path}`,
    "HttpOnly",
    `SameSite=${sameSite}`,
    ...(maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`]),
    ...(isSecure ? ["Secure"] : []),
  ].join("; ");
}

/**
 * True when a browser came by https. A proxy in front reports it; so does the browser itself, in the
 * `Origin` of a form. A false report only sets a cookie that the reporting browser does not send back.
 */
export function cameByHttps(headers: Headers): boolean {
  return headers.get("x-forwarded-proto")?.trim().toLowerCase() === "https" ||
    headers.get("origin")?.startsWith("https://") === true;
}
