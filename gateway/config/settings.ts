/**
 * Settings of `svc serve` from flags and environment, checked before anything is opened.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { parseIpRange } from "../domain/policy/ip_range.ts";
import { isKeyShaped, STORED_PEPPER } from "../domain/policy/key_format.ts";

/** Settings of a process that serves. */
export interface ServeSettings {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly adminHost: string;
  readonly adminPort: number;
  /** Further base URLs of the admin listener, such as those of a proxy or a container's name. */
  readonly adminUrls: readonly string[];
  /** A separate listener for `/metrics`. @default {none: only the admin listener has it} */
  readonly metrics?: { readonly host: string; readonly port: number } | undefined;
  /** File, `:memory:`, or the https URL of a remote Deno KV. */
  readonly kvPath: string;
  readonly configPath: string;
  /** True when the configuration file was named and must exist. */
  readonly configRequired: boolean;
  readonly adminToken?: string | undefined;
  /** Token that can only read `/metrics`. */
  readonly metricsToken?: string | undefined;
  readonly bootstrapKey?: string | undefined;
  readonly keyPepper?: string | undefined;
  /** The pepper that `keyPepper` replaces; {@linkcode STORED_PEPPER} for the one in the store. */
  readonly keyPepperPrevious?: string | undefined;
  readonly publicUrl?: string | undefined;
  readonly trustedProxies: readonly string[];
  /**
   * Share of requests that are traced where the caller does not decide, 0 to 1.
   *
   * @default {all of a quiet service, at most ten a second}
   */
  readonly traceRatio?: number | undefined;
}

/** The settings, or the sentence about their problems. */
export type ParsedSettings =
  | { readonly ok: true; readonly settings: ServeSettings }
  | { readonly ok: false; readonly problem: string };

/** Flags of `svc serve`, with the variables of the same meaning. */
const FLAGS = {
  "host": "SERVICE_HOST",
  "port": "SERVICE_PORT",
  "admin-host": "SERVICE_ADMIN_HOST",
  "admin-port": "SERVICE_ADMIN_PORT",
  "admin-urls": "SERVICE_ADMIN_URLS",
  "metrics-host": "SERVICE_METRICS_HOST",
  "metrics-port": "SERVICE_METRICS_PORT",
  "kv-path": "SERVICE_KV_PATH",
  "config": "SERVICE_CONFIG",
  "admin-token": "SERVICE_ADMIN_TOKEN",
  "bootstrap-key": "SERVICE_BOOTSTRAP_KEY",
  "metrics-token": "SERVICE_METRICS_TOKEN",
  "key-pepper": "SERVICE_KEY_PEPPER",
  "key-pepper-previous": "SERVICE_KEY_PEPPER_PREVIOUS",
  "public-url": "SERVICE_PUBLIC_URL",
  "trusted-proxies": "SERVICE_TRUSTED_PROXIES",
  "trace-ratio": "SERVICE_TRACE_RATIO",
} as const;

type Flag = keyof typeof FLAGS;

/** Names of all variables that `svc serve` reads. */
export const SERVE_VARIABLES: readonly string[] = Object.values(FLAGS);

/** Names of all flags of `svc serve`, without the dashes. */
export const SERVE_FLAGS: readonly string[] = Object.keys(FLAGS);

/** The setting of a listener's port. */
export type PortFlag = "port" | "admin-port" | "metrics-port";

/** The setting of the same listener's address. */
const HOST_FLAGS: Readonly<Record<PortFlag, Flag>> = {
  "port": "host",
  "admin-port": "admin-host",
  "metrics-port": "metrics-host",
};

/**
 * Returns the error for the operator where a listener cannot open: the address, the reason, and the
 * setting that chooses another one.
 */
export function explainListen(
  error: unknown,
  where: { readonly flag: PortFlag; readonly address: string },
): Error {
  const { flag, address } = where;
  const host = HOST_FLAGS[flag];
  const [reason, setting]: readonly [string, Flag] = error instanceof Deno.errors.AddrInUse
    ? ["something listens there already", flag]
    : error instanceof Deno.errors.PermissionDenied
    ? ["the system does not permit this port", flag]
    : error instanceof Deno.errors.AddrNotAvailable
    ? ["it is no address of this machine", host]
    : error instanceof Error && /lookup address|invalid host/.test(error.message)
    ? ["there is no such host", host]
    : [error instanceof Error ? error.message : String(error), flag];
  return new Error(`Cannot listen on ${address}: ${reason}; choose another by ${named(setting)}`);
}

function named(flag: Flag): string {
  return `--${flag} (${FLAGS[flag]})`;
}

/** Settings that cannot be used, with the reasons. */
class Problem extends Error {
  override name = "Problem";
}

/** Notes a problem of a setting. All problems are reported together. */
type Refuse = (sentence: string) => void;

/** Reads flags first, then the environment, then the defaults. */
export function parseServeSettings(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ParsedSettings {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: Object.fromEntries(
        Object.keys(FLAGS).map((flag) => [flag, { type: "string" as const }]),
      ),
    });
    return { ok: true, settings: read(values, environment) };
  } catch (error) {
    if (error instanceof Problem) return { ok: false, problem: error.message };
    // The first sentence of parseArgs explains an unknown flag.
    const message = error instanceof Error ? error.message.split(". ")[0] : String(error);
    return { ok: false, problem: message ?? "Cannot read the flags" };
  }
}

/** Returns readers of single settings; flags override variables. */
function readersOf(
  values: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
  refuse: Refuse,
) {
  const text = (flag: Flag): string | undefined => {
    const value = values[flag] ?? environment[FLAGS[flag]];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const port = (flag: Flag, standard: number): number => {
    const value = text(flag);
    if (value === undefined) return standard;
    if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) {
      refuse(`${named(flag)} takes a port from 0 to 65535, not "${value}"`);
    }
    return Number(value);
  };
  const secret = (flag: Flag): string | undefined => {
    const value = text(flag);
    if (value !== undefined && !isKeyShaped(value)) {
      refuse(`${named(flag)} takes 16 to 256 visible ASCII characters`);
    }
    return value;
  };
  const url = (flag: Flag, value: string): string => {
    if (!/^https?:\/\//.test(value) || !URL.canParse(value)) {
      refuse(`${named(flag)} takes an http(s) URL, not "${value}"`);
    }
    return value.replace(/\/+$/, "");
  };
  const list = (flag: Flag): string[] =>
    (text(flag) ?? "").split(",").map((part) => part.trim()).filter((part) => part !== "");
  return { text, port, secret, url, list };
}

function read(
  values: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): ServeSettings {
  const problems: string[] = [];
  const refuse: Refuse = (sentence) => void problems.push(sentence);
  const { text, port, secret, url, list } = readersOf(values, environment, refuse);
  const publicUrl = text("public-url");
  const trustedProxies = list("trusted-proxies");
  for (const range of trustedProxies) {
    if (parseIpRange(range) !== undefined) continue;
    refuse(`${named("trusted-proxies")} takes addresses or CIDR ranges, not "${range}"`);
  }
  const settings = {
    host: text("host") ?? "127.0.0.1",
    port: port("port", 8787),
    adminHost: text("admin-host") ?? "127.0.0.1",
    adminPort: port("admin-port", 8788),
    adminUrls: list("admin-urls").map((part) => url("admin-urls", part)),
    ...(text("metrics-host") === undefined && text("metrics-port") === undefined ? {} : {
      metrics: { host: text("metrics-host") ?? "127.0.0.1", port: port("metrics-port", 8789) },
    }),
    kvPath: text("kv-path") ?? "data/svc.kv",
    configPath: text("config") ?? "svc.json",
    configRequired: text("config") !== undefined,
    ...secretsOf({
      adminToken: secret("admin-token"),
      bootstrapKey: secret("bootstrap-key"),
      metricsToken: secret("metrics-token"),
    }, refuse),
    ...peppersOf(
      { keyPepper: text("key-pepper"), keyPepperPrevious: text("key-pepper-previous") },
      refuse,
    ),
    publicUrl: publicUrl === undefined ? undefined : url("public-url", publicUrl),
    trustedProxies,
    ...ratioOf(text("trace-ratio"), refuse),
  };
  if (problems.length > 0) throw new Problem(problems.join("; "));
  return settings;
}

function ratioOf(value: string | undefined, refuse: Refuse): Pick<ServeSettings, "traceRatio"> {
  if (value === undefined) return {};
  const traceRatio = Number(value);
  if (!/^[\d.]+$/.test(value) || !(traceRatio <= 1)) {
    refuse(`${named("trace-ratio")} takes a number from 0 to 1, not "${value}"`);
  }
  return { traceRatio };
}

/** Returns the secrets, each of which opens only its own interface. */
function secretsOf(
  secrets: Pick<ServeSettings, "adminToken" | "bootstrapKey" | "metricsToken">,
  refuse: Refuse,
): Pick<ServeSettings, "adminToken" | "bootstrapKey" | "metricsToken"> {
  const { adminToken, bootstrapKey, metricsToken } = secrets;
  if (metricsToken !== undefined && [adminToken, bootstrapKey].includes(metricsToken)) {
    refuse(`${named("metrics-token")} takes a token that opens nothing else`);
  }
  if (/^svc_(?:live|admin)_/.test(metricsToken ?? "")) {
    refuse(`${named("metrics-token")} takes no API key and no admin token`);
  }
  if (adminToken !== undefined && adminToken === bootstrapKey) {
    refuse(`${named("admin-token")} may not be the API key of the first start`);
  }
  if (adminToken?.startsWith("svc_live_")) {
    refuse(`${named("admin-token")} takes no API key: "svc_live_" begins one`);
  }
  if (bootstrapKey?.startsWith("svc_admin_")) {
    refuse(`${named("bootstrap-key")} takes no admin token: "svc_admin_" begins one`);
  }
  return { adminToken, bootstrapKey, ...(metricsToken === undefined ? {} : { metricsToken }) };
}

function peppersOf(
  peppers: Pick<ServeSettings, "keyPepper" | "keyPepperPrevious">,
  refuse: Refuse,
): Pick<ServeSettings, "keyPepper" | "keyPepperPrevious"> {
  if (peppers.keyPepper === STORED_PEPPER) {
    refuse(`${named("key-pepper")} takes a secret, not the word "${STORED_PEPPER}"`);
  }
  return peppers;
}
