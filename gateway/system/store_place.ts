/**
 * The place of the store, as an operator names it.
 *
 * @module
 */

/** A Deno KV database (a file, `:memory:` or an https URL), or a PostgreSQL database. */
export type StorePlace =
  | { readonly kind: "kv"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };

/** Path of the store if none is named. */
export const DEFAULT_KV_PATH = "data/svc.kv";

/** The names of a store, as flags or variables: the older one is for Deno KV only. */
export interface StoreNames {
  readonly store?: string | undefined;
  readonly kvPath?: string | undefined;
}

/** Returns the names that the variables give; an empty one is none. */
export function storeNamesIn(env: (name: string) => string | undefined): StoreNames {
  return {
    store: env("SERVICE_STORE") || undefined,
    kvPath: env("SERVICE_KV_PATH") || undefined,
  };
}

/**
 * Returns the place, or a sentence about the problem. No sentence contains the value of `store`: it
 * may contain a password.
 */
export function storePlaceOf({ store, kvPath }: StoreNames): StorePlace | string {
  if (kvPath !== undefined && isPostgres(kvPath)) {
    return "SERVICE_KV_PATH takes no PostgreSQL database: give it as SERVICE_STORE";
  }
  if (store !== undefined && kvPath !== undefined && store !== kvPath) {
    return "SERVICE_STORE and SERVICE_KV_PATH name different stores: leave SERVICE_KV_PATH out";
  }
  if (store !== undefined && isPostgres(store)) return { kind: "postgres", url: store };
  for (const [name, text] of [["SERVICE_STORE", store], ["SERVICE_KV_PATH", kvPath]] as const) {
    if (text === undefined || !isForeign(text)) continue;
    return `${name} is neither a path nor a URL that begins with postgres://, postgresql:// or https://`;
  }
  return { kind: "kv", path: store ?? kvPath ?? DEFAULT_KV_PATH };
}

function isPostgres(text: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(text);
}

/** True for a mistyped or unknown URL: as the name of a file its password would be shown. */
function isForeign(text: string): boolean {
  if (/^https?:\/\//i.test(text)) return false;
  return /:\/\/|^(?:[a-z][\w+.-]+:)+\/|:.*@|\bpassword\s*=/is.test(text);
}

/** Returns the password in a place, as it stands there and decoded. */
export function secretsIn(place: StorePlace): readonly string[] {
  if (place.kind === "kv") return [];
  const authority = place.url.replace(/^\w+:\/\//, "");
  const [, password = ""] = /^[^:@]*:(.*)@/s.exec(authority) ?? [];
  const query = new URLSearchParams(place.url.split("?").slice(1).join("?"));
  return [password, unescaped(password), query.get("password") ?? ""].filter((one) => one !== "");
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

const HOSTS = /^(?:(?:[\w.%-]*|\[[\da-fA-F:.]+\])(?::\d+)?(?:,|$))*$/;

/** Returns the place for a person to read, without a password and without options. */
export function shownPlace(place: StorePlace): string {
  if (place.kind === "kv") return place.path;
  const [authority = "", path = ""] = place.url.replace(/^\w+:\/\//, "").split(/[?#]/)[0]
    ?.split(/\/(.*)/s) ?? [];
  const at = authority.lastIndexOf("@");
  const hosts = authority.slice(at + 1);
  // A password with a character that must be encoded ends elsewhere: then nothing is shown.
  const after = place.url.slice(place.url.indexOf(authority) + authority.length);
  const isPlain = HOSTS.test(hosts) && /^[\w%.-]*$/.test(path) && !after.includes("@");
  return `postgres://${isPlain ? `${hosts}/${path}` : "…"}`;
}
