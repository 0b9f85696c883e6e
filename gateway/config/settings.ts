/**
 * Settings of `svc serve` from flags and environment, checked before anything is opened.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { type Micros, parseCredits } from "../domain/ledger/money.ts";
import { parseIpRange } from "../domain/policy/ip_range.ts";
import { isKeyShaped, STORED_PEPPER } from "../domain/policy/key_format.ts";
import { SIGN_ON_FLAGS, type SignOnSettings, signOnSettings } from "./sign_on_settings.ts";
import {
  DEFAULT_KV_PATH,
  storeNamesIn,
  type StorePlace,
  storePlaceOf,
} from "../system/store_place.ts";

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
  readonly store: StorePlace;
  /**
   * File for the credentials of the admin API, readable by its user only; the first key is written
   * beside it. @default {beside a store that is a file}
   */
  readonly credentialsFile?: string | undefined;
  readonly configPath: string;
  /** True when the configuration file was named and must exist. */
  readonly configRequired: boolean;
  readonly adminToken?: string | undefined;
  /** Token that can only read `/metrics`. */
  readonly metricsToken?: string | undefined;
  readonly bootstrapKey?: string | undefined;
  /** Sign-in of operators by OpenID Connect. @default {none} */
  readonly signOn?: SignOnSettings | undefined;
  /** False where holders of keys have no pages of their own. @default {true} */
  readonly keyPages?: boolean | undefined;
  readonly keyPepper?: string | undefined;
  /** The pepper that `keyPepper` replaces; {@linkcode STORED_PEPPER} for the one in the store. */
  readonly keyPepperPrevious?: string | undefined;
  readonly publicUrl?: string | undefined;
  readonly trustedProxies: readonly string[];
  /** Hosts of notification targets that may have private addresses. @default {none} */
  readonly notifyHosts?: readonly string[] | undefined;
  /**
   * Credits at stake above which another person approves a correction, in micros.
   * @default {10,000 credits}
   */
  readonly approvalMicros?: Micros | undefined;
  /**
   * Share of requests that are traced where the caller does not decide, 0 to 1.
   *
   * @default {all of a quiet service, at most ten a second}
   */
  readonly traceRatio?: number | undefined;
  /**
   * Time from the signal to stop in which `/readyz` fails and requests are still answered, in
   * milliseconds, so that a proxy sends no more before any is refused.
   *
   * @default {5 seconds on a database that instances share, none on a file}
   */
  readonly drainMs?: number | undefined;
}

/**
 * Limit of corrections without an approval: 10,000 credits. A usual correction needs no second person,
 * and one that empties a large wallet does.
 */
export const DEFAULT_APPROVAL_MICROS: Micros = 10_000_000_000n;

/** The settings, or the sentence about their problems. */
export type ParsedSettings =
  | { readonly ok: true; readonly settings: ServeSettings }
  | { readonly ok: false; readonly problem: string };

/** Longest drain: supervisors kill what has not ended a while after its signal. */
const DRAIN_SECONDS_MAX = 300;

/** Flags of `svc serve`, with the variables of the same meaning. */
const FLAGS = {
  "host": "SERVICE_HOST",
  "port": "SERVICE_PORT",
  "admin-host": "SERVICE_ADMIN_HOST",
  "admin-port": "SERVICE_ADMIN_PORT",
  "admin-urls": "SERVICE_ADMIN_URLS",
  "metrics-host": "SERVICE_METRICS_HOST",
  "metrics-port": "SERVICE_METRICS_PORT",
  "store": "SERVICE_STORE",
  "kv-path": "SERVICE_KV_PATH",
  "credentials-file": "SERVICE_CREDENTIALS_FILE",
  "config": "SERVICE_CONFIG",
  "admin-token": "SERVICE_ADMIN_TOKEN",
  "bootstrap-key": "SERVICE_BOOTSTRAP_KEY",
  "metrics-token": "SERVICE_METRICS_TOKEN",
  "key-pages": "SERVICE_KEY_PAGES",
  "key-pepper": "SERVICE_KEY_PEPPER",
  "key-pepper-previous": "SERVICE_KEY_PEPPER_PREVIOUS",
  "public-url": "SERVICE_PUBLIC_URL",
  "trusted-proxies": "SERVICE_TRUSTED_PROXIES",
  "notify-hosts": "SERVICE_NOTIFY_HOSTS",
  "trace-ratio": "SERVICE_TRACE_RATIO",
  "approval-credits": "SERVICE_APPROVAL_CREDITS",
  ...SIGN_ON_FLAGS,
  "drain-seconds": "SERVICE_DRAIN_SECONDS",
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
  const number = (flag: Flag, what: string, max: number): number | undefined => {
    const value = text(flag);
    if (value === undefined) return undefined;
    if (!/^[\d.]+$/.test(value) || !(Number(value) <= max)) {
      refuse(`${named(flag)} takes ${what} from 0 to ${max}, not "${value}"`);
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
  const isOn = (flag: Flag): boolean | undefined => {
    const value = text(flag);
    if (value !== undefined && !["on", "off"].includes(value)) {
      refuse(`${named(flag)} takes "on" or "off", not "${value}"`);
    }
    return value === undefined ? undefined : value === "on";
  };
  const list = (flag: Flag): string[] =>
    (text(flag) ?? "").split(",").map((part) => part.trim()).filter((part) => part !== "");
  return { text, port, number, secret, url, isOn, list };
}

function read(
  values: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): ServeSettings {
  const problems: string[] = [];
  const refuse: Refuse = (sentence) => void problems.push(sentence);
  const { text, port, number, secret, url, isOn, list } = readersOf(values, environment, refuse);
  const publicUrl = text("public-url");
  const traceRatio = number("trace-ratio", "a number", 1);
  const drainSeconds = number("drain-seconds", "seconds", DRAIN_SECONDS_MAX);
  const keyPages = isOn("key-pages");
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
    store: storeOf(values, environment, refuse),
    ...fileOf(text("credentials-file")),
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
    ...(text("notify-hosts") === undefined ? {} : { notifyHosts: list("notify-hosts") }),
    ...signOnOf(signOnSettings(text, (flag, sentence) => refuse(`${named(flag)} ${sentence}`))),
    ...keyPages === undefined ? {} : { keyPages },
    ...approvalOf(text("approval-credits"), refuse),
    ...traceRatio === undefined ? {} : { traceRatio },
    ...drainSeconds === undefined ? {} : { drainMs: drainSeconds * 1_000 },
  };
  if (problems.length > 0) throw new Problem(problems.join("; "));
  return settings;
}

/** Returns the store: flags of either name come before variables of either name. */
function storeOf(
  values: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
  refuse: Refuse,
): StorePlace {
  const textOf = (value: unknown) => typeof value === "string" && value !== "" ? value : undefined;
  const given = { store: textOf(values["store"]), kvPath: textOf(values["kv-path"]) };
  const isGiven = given.store !== undefined || given.kvPath !== undefined;
  const place = storePlaceOf(isGiven ? given : storeNamesIn((name) => environment[name]));
  if (typeof place !== "string") return place;
  refuse(place);
  return { kind: "kv", path: DEFAULT_KV_PATH };
}

function fileOf(credentialsFile: string | undefined): Pick<ServeSettings, "credentialsFile"> {
  return credentialsFile === undefined ? {} : { credentialsFile };
}

function approvalOf(
  credits: string | undefined,
  refuse: Refuse,
): Pick<ServeSettings, "approvalMicros"> {
  if (credits === undefined) return {};
  const approvalMicros = parseCredits(credits);
  if (approvalMicros === undefined) {
    refuse(`${named("approval-credits")} takes an amount of credits, not "${credits}"`);
  }
  return { approvalMicros };
}

function signOnOf(signOn: SignOnSettings | undefined): Pick<ServeSettings, "signOn"> {
  return signOn === undefined ? {} : { signOn };
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
