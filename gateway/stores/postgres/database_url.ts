/**
 * The URL of a database, with the options as libpq names them.
 *
 * @module
 */

import { StoreError } from "../../ports/store_error.ts";

/** A database and the way to reach it. */
export interface Database {
  /** Hosts in the order in which they are tried. A path is the folder of a Unix socket. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly user: string;
  /** @default {the variable PGPASSWORD, else none} */
  readonly password?: string | undefined;
  readonly name: string;
  readonly tls: Tls;
  readonly applicationName: string;
  readonly connectSeconds?: number | undefined;
  readonly targetSessionAttrs?: SessionAttrs | undefined;
  /** Settings of the session, as `-c name=value` of the URL's `options` gives them. */
  readonly session: Readonly<Record<string, string>>;
}

/** TLS of a connection; `prefer` takes a connection without it where the server has none. */
export type Tls = "disable" | "prefer" | "require" | {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Set for `verify-ca`: the certificate may name any host. */
  readonly checkServerIdentity?: () => undefined;
};

const SESSION_ATTRS = ["read-write", "read-only", "primary", "standby", "prefer-standby"] as const;
type SessionAttrs = typeof SESSION_ATTRS[number];

const DEFAULT_PORT = 5432;
const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
/** Options of libpq that are understood. */
const OPTIONS = [
  ...["sslmode", "sslrootcert", "sslcert", "sslkey", "host", "port", "user", "password", "dbname"],
  ...["application_name", "connect_timeout", "target_session_attrs", "options", "channel_binding"],
];

/** Reads a file of the options. */
export type ReadText = (path: string) => string;

/**
 * Reads a URL such as `postgres://user:password@host:5432/database?sslmode=verify-full`.
 *
 * @throws {StoreError} With a sentence that contains no part of the URL but names of options.
 */
export function databaseOf(url: string, readText: ReadText = Deno.readTextFileSync): Database {
  const { authority, path, query } = partsOf(url);
  const options = optionsOf(query);
  const at = authority.lastIndexOf("@");
  const [user = "", ...rest] = authority.slice(0, Math.max(0, at)).split(":");
  const password = options.get("password") ?? (rest.length === 0 ? undefined : rest.join(":"));
  const owner = options.get("user") ?? decoded(user);
  if (owner === "") throw refused("it names no user");
  const name = options.get("dbname") ?? (path === "" ? owner : decoded(path));
  if (/[/@]/.test(path)) throw refused("its path is no name of a database");
  return {
    hosts: hostsOf(authority.slice(at + 1), options),
    user: owner,
    ...(password === undefined ? {} : { password: decoded(password) }),
    name,
    tls: tlsOf(options, readText),
    applicationName: options.get("application_name") ?? "svc",
    ...(options.has("connect_timeout") ? { connectSeconds: secondsOf(options) } : {}),
    ...attrsOf(options),
    session: sessionOf(options.get("options") ?? ""),
  };
}

function partsOf(url: string): { authority: string; path: string; query: string } {
  const [, authority = "", path = "", query = ""] =
    /^postgres(?:ql)?:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i.exec(url) ?? [];
  if (!/^postgres(?:ql)?:\/\//i.test(url)) throw refused("it does not begin with postgres://");
  if (url.includes("#")) throw refused('it contains "#": write %23 in a password');
  return { authority, path, query };
}

function optionsOf(query: string): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!OPTIONS.includes(name)) {
      const shown = /^\w{1,40}$/.test(name) ? `"${name}"` : "one of its options";
      throw refused(`${shown} is not known; known are ${OPTIONS.join(", ")}`);
    }
    options.set(name, value);
  }
  if (options.get("channel_binding") === "require") {
    throw refused("channel_binding=require is not supported: leave it out");
  }
  return options;
}

function hostsOf(
  authority: string,
  options: ReadonlyMap<string, string>,
): Database["hosts"] {
  const hosts = (options.get("host") ?? authority).split(",");
  const ports = options.get("port")?.split(",");
  return hosts.map((text, index) => {
    const [, bare = "", port = ""] = /^(\[[\da-f:.]+\]|[^:[\]]*)(?::(\d{1,5}))?$/i.exec(text) ?? [];
    const host = decoded(bare).replace(/^\[|\]$/g, "");
    if (bare === "" && text !== "") throw refused("a host or a port of it cannot be read");
    if (!/^[\w.:%-]*$|^\//.test(host)) throw refused("a host of it cannot be read");
    const number = Number(ports?.[index] ?? ports?.[0] ?? (port || DEFAULT_PORT));
    if (!(number >= 1 && number <= 65_535)) throw refused("a port of it is not 1 to 65535");
    return { host: host || "localhost", port: number };
  });
}

function tlsOf(options: ReadonlyMap<string, string>, readText: ReadText): Tls {
  const root = options.get("sslrootcert");
  const mode = options.get("sslmode") ?? (root === "system" ? "verify-full" : "prefer");
  if (!SSL_MODES.includes(mode)) throw refused(`its sslmode is none of ${SSL_MODES.join(", ")}`);
  if (mode === "disable") return "disable";
  if (mode === "allow" || mode === "prefer") return "prefer";
  const read = (name: string) => {
    const path = options.get(name);
    if (path === undefined || (name === "sslrootcert" && path === "system")) return undefined;
    try {
      return readText(path);
    } catch (cause) {
      throw new StoreError(`Cannot read the file of ${name} in SERVICE_STORE`, { cause });
    }
  };
  const [ca, cert, key] = [read("sslrootcert"), read("sslcert"), read("sslkey")];
  // As libpq does: with a root certificate, "require" verifies like "verify-ca".
  const verifies = mode !== "require" || ca !== undefined;
  if (!verifies && cert === undefined) return "require";
  return {
    rejectUnauthorized: verifies,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  };
}

function secondsOf(options: ReadonlyMap<string, string>): number {
  const value = options.get("connect_timeout") ?? "";
  if (!/^\d{1,3}$/.test(value) || Number(value) === 0) {
    throw refused("its connect_timeout is no number of seconds from 1 to 999");
  }
  return Number(value);
}

function attrsOf(options: ReadonlyMap<string, string>): Pick<Database, "targetSessionAttrs"> {
  const value = options.get("target_session_attrs");
  if (value === undefined || value === "any") return {};
  const targetSessionAttrs = SESSION_ATTRS.find((one) => one === value);
  if (targetSessionAttrs !== undefined) return { targetSessionAttrs };
  throw refused(`its target_session_attrs is none of any, ${SESSION_ATTRS.join(", ")}`);
}

/** Returns the settings of `-c name=value` and `--name=value`. */
function sessionOf(text: string): Record<string, string> {
  const words = text.replaceAll(/-c\s+/g, "--").split(/\s+/).filter((word) => word !== "");
  return Object.fromEntries(words.map((word) => {
    const [, name, value] = /^--([\w.-]+)=(\S+)$/.exec(word) ?? [];
    if (name === undefined || value === undefined) {
      throw refused("its options take settings only, each as -c name=value");
    }
    return [name.replaceAll("-", "_"), value];
  }));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refused('it contains a "%" that begins no code: write %25');
  }
}

function refused(reason: string): StoreError {
  return new StoreError(`Cannot use the URL in SERVICE_STORE: ${reason}`);
}
