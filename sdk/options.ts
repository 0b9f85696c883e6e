import { autoHeader, type AutoOptions } from "./auto_choice.ts";
import { ConfigurationError } from "./errors.ts";
import type { Logger } from "./logger.ts";
import { checkOptions, type OptionKinds } from "./option_kinds.ts";
import { DEFAULT_TOOL_NAMES, type DefaultToolsOptions } from "./toolbox/default_tools.ts";
import type { RegisteredTools } from "./toolbox/selection.ts";
import { tagHeader, type Tags } from "./tags.ts";
import type { TransportOptions } from "./transport.ts";

/**
 * Options of a client. A given option takes precedence over the environment, which is then not
 * read.
 *
 * @example
 * ```ts
 * import type { ServiceClientOptions } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const options: ServiceClientOptions = {
 *   apiKey: "svc_live_key",
 *   apiBaseUrl: "https://svc.example",
 *   maxRetries: 2,
 *   withoutDefaultTools: ["shell"],
 * };
 * assertEquals(options.timeoutMs ?? 60_000, 60_000);
 * ```
 */
export interface ServiceClientOptions extends DefaultToolsOptions, RegisteredTools {
  /**
   * Key of the service; every call except `models.list` needs one.
   *
   * @default {SERVICE_API_KEY}
   */
  readonly apiKey?: string | undefined;
  /**
   * Base of the service: models are called under `/openai/v1`, the catalog under `/api/v1`.
   *
   * @default {SERVICE_API_BASE_URL, else http://127.0.0.1:8787}
   */
  readonly apiBaseUrl?: string | undefined;
  /**
   * Base of model calls alone. Without `apiBaseUrl`, the catalog's base is the part before
   * `/openai/v1`; for a base without that ending, catalog calls fail before they are sent.
   *
   * @default {apiBaseUrl + /openai/v1; where that is not given, SERVICE_OPENAI_BASE_URL}
   */
  readonly openAIBaseUrl?: string | undefined;
  /**
   * Sends the requests; for a proxy or a test.
   *
   * @default {globalThis.fetch}
   */
  readonly fetch?: typeof fetch | undefined;
  /** Headers of every request. They may carry a key instead of `apiKey`. */
  readonly headers?: HeadersInit | undefined;
  /**
   * Time limit in milliseconds for the whole request, or the life of a consumed stream; 0 or less:
   * none.
   *
   * @default {60_000}
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Retries after the first attempt when the service answers 429 or 5xx, or not at all. Model calls
   * are not idempotent: a repeated attempt may have been executed, and may be billed twice.
   *
   * @default {0}
   */
  readonly maxRetries?: number | undefined;
  /**
   * Choice of the models of calls that state none.
   *
   * @default {as the key's policy, the tier or the catalog states}
   */
  readonly auto?: AutoOptions | undefined;
  /**
   * Tags of calls that state none, for the sums of usage.
   *
   * @default {none}
   */
  readonly tags?: Tags | undefined;
  /** Receives requests, answers and retries; never keys, prompts or tool inputs. */
  readonly logger?: Logger | undefined;
  /** @deprecated Does nothing: Messages are converted locally. */
  readonly anthropicBaseUrl?: string | undefined;
  /** @deprecated Does nothing: no `anthropic-version` header is ever sent. */
  readonly anthropicVersion?: string | undefined;
}

const LOCAL_GATEWAY = "http://127.0.0.1:8787";
const MODEL_PATH = "/openai/v1";

const KINDS: OptionKinds<ServiceClientOptions> = {
  ...{ apiKey: "text", apiBaseUrl: "text", openAIBaseUrl: "text" },
  ...{ fetch: "function", headers: "object", timeoutMs: "number", maxRetries: "number" },
  ...{ auto: "record", tags: "record", logger: "logger", tools: "anything" },
  toolHandlers: "record",
  ...{ defaultLocalTools: "flag", defaultBuiltinTools: "flag", withoutDefaultTools: "texts" },
  ...{ fileWorkspace: "path", fileDeny: "texts", fileTrust: "flag", filePermission: "function" },
  ...{ shellWorkspace: "path", shellPermission: "function" },
  ...{ anthropicBaseUrl: "anything", anthropicVersion: "anything" },
};

/**
 * Returns the transport's options from the client's options and the environment.
 *
 * @throws {ConfigurationError} An option is unknown, or cannot be used.
 */
export function transportOptionsOf(options: ServiceClientOptions): TransportOptions {
  checkOptions(options, KINDS, { of: "a client" });
  for (const name of options.withoutDefaultTools ?? []) {
    if (DEFAULT_TOOL_NAMES.includes(name)) continue;
    throw new ConfigurationError(
      `Cannot leave out the default tool "${name}": there are ${DEFAULT_TOOL_NAMES.join(", ")}`,
    );
  }
  const { maxRetries = 0, timeoutMs = 60_000 } = options;
  if (!Number.isInteger(maxRetries) || maxRetries < 0) {
    throw new ConfigurationError(`Cannot use maxRetries: ${maxRetries} is no count`);
  }
  if (options.auto !== undefined) autoHeader(options.auto);
  if (options.tags !== undefined) tagHeader(options.tags);
  const headers = headersOf(options);
  return {
    ...addressesOf(options),
    hasKey: Boolean(headers.get("authorization") || headers.get("x-api-key")),
    headers,
    // Called as a method, the platform's `fetch` would get the options as its `this`.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs,
    maxRetries,
    auto: options.auto,
    tags: options.tags,
    logger: options.logger,
  };
}

/**
 * Returns the bases of model calls and catalog calls. A key never goes to a host that is not
 * configured.
 */
function addressesOf(
  { apiBaseUrl, openAIBaseUrl }: ServiceClientOptions,
): Pick<TransportOptions, "apiBaseUrl" | "openAIBaseUrl"> {
  const api = optionOr("SERVICE_API_BASE_URL", { apiBaseUrl });
  const models = openAIBaseUrl === undefined && apiBaseUrl !== undefined
    ? undefined
    : optionOr("SERVICE_OPENAI_BASE_URL", { openAIBaseUrl });
  if (models === undefined) {
    const base = api === undefined ? LOCAL_GATEWAY : baseUrl(api.value, api.name);
    return { apiBaseUrl: base, openAIBaseUrl: `${base}${MODEL_PATH}` };
  }
  const modelBase = baseUrl(models.value, models.name);
  if (api !== undefined) {
    return { apiBaseUrl: baseUrl(api.value, api.name), openAIBaseUrl: modelBase };
  }
  const stem = modelBase.endsWith(MODEL_PATH) ? modelBase.slice(0, -MODEL_PATH.length) : undefined;
  return { apiBaseUrl: stem, openAIBaseUrl: modelBase };
}

/** Returns the headers of every request, with the one that has the key. */
function headersOf(options: ServiceClientOptions): Headers {
  const headers = new Headers();
  for (const [name, value] of entriesOf(options.headers)) {
    const wrong = `Cannot send the header ${JSON.stringify(name)}: it is not`;
    // `undefined` would be sent as the word "undefined".
    if (typeof value !== "string") throw new ConfigurationError(`${wrong} a text`);
    try {
      headers.append(name, value);
    } catch {
      // Replaces the platform's message, which would quote the value, possibly a secret.
      throw new ConfigurationError(`${wrong} valid`);
    }
  }
  // Never sent: the options that name it have no effect.
  headers.delete("anthropic-version");
  const named = ["authorization", "x-api-key"].filter((name) => headers.has(name));
  if (named.length > 1 || (named.length === 1 && options.apiKey !== undefined)) {
    throw new ConfigurationError(
      "Cannot send two keys: give one of apiKey, the header authorization and the header x-api-key",
    );
  }
  if (named.length === 1) return headers;
  const { apiKey } = options;
  const key = optionOr("SERVICE_API_KEY", { apiKey });
  if (!key?.value) return headers;
  if (!/^[\x21-\x7E]+$/.test(key.value)) {
    throw new ConfigurationError(
      `Cannot use ${key.name}: it holds characters that no key has, perhaps a line break at its end`,
    );
  }
  headers.set("authorization", `Bearer ${key.value}`);
  return headers;
}

function entriesOf(headers: HeadersInit | undefined): Iterable<readonly [string, unknown]> {
  // Not by class: `Headers` of another realm or package are valid.
  if (headers === undefined || !(Symbol.iterator in headers)) return Object.entries(headers ?? {});
  return Array.from<unknown, [string, unknown]>(headers, (pair) => {
    const [name = "", value] = Array.isArray(pair) ? pair : [];
    return [String(name), value];
  });
}

/** Returns a value and its origin: the option, else the variable. */
function optionOr(
  variable: string,
  option: Readonly<Record<string, string | undefined>>,
): { readonly name: string; readonly value: string } | undefined {
  for (const [name, value] of Object.entries(option)) {
    if (value !== undefined) return { name, value };
  }
  const value = readEnvironment(variable);
  return value === undefined ? undefined : { name: variable, value };
}

/** Reads an environment variable; `undefined` when the permission is missing. */
export function readEnvironment(name: string): string | undefined {
  try {
    // Not imported: the import takes a fifth of the time of loading this package.
    return globalThis.process?.env[name] || undefined;
  } catch {
    return undefined;
  }
}

/** Returns a base address without a slash at its end. Throws when it is no http(s) URL. */
export function baseUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    // Not quoted: it may be a key by mistake.
    throw new ConfigurationError(
      `Cannot use ${name}: it is no http(s) URL, such as ${LOCAL_GATEWAY}`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new ConfigurationError(`Cannot use ${name}: it holds a password; pass apiKey instead`);
  }
  if (url.search !== "" || url.hash !== "") {
    throw new ConfigurationError(`Cannot use ${name}: a base has no query and no fragment`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}
