import { ServiceClient } from "../client.ts";
import { ConfigurationError, MissingAPIKeyError } from "../errors.ts";
import { checkOptions, type OptionKinds } from "../option_kinds.ts";
import { type ServiceClientOptions, transportOptionsOf } from "../options.ts";
import { answer, type BridgeSettings } from "./answer.ts";
import { type CountTokens, estimatedTokens } from "./token_count.ts";

/** Answers one request of a local program. */
export type BridgeHandler = (request: Request) => Promise<Response>;

/** Options of a bridge. The key and the addresses are those of a client. */
export interface AnthropicBridgeOptions extends
  Pick<
    ServiceClientOptions,
    | "apiKey"
    | "apiBaseUrl"
    | "openAIBaseUrl"
    | "fetch"
    | "headers"
    | "timeoutMs"
    | "maxRetries"
    | "auto"
    | "logger"
  > {
  /**
   * The token that local programs send as their API key, as `x-api-key` or as a bearer: 16 to 256
   * visible ASCII characters. It opens nothing but this bridge.
   */
  readonly token: string;
  /**
   * Longest accepted body, in bytes.
   *
   * @default {33_554_432}
   */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Longest silence of a stream in milliseconds, after which a `ping` is sent.
   *
   * @default {10_000}
   */
  readonly pingMs?: number | undefined;
  /**
   * Counts the tokens of a text, for `count_tokens`.
   *
   * @default {an estimate from its length}
   */
  readonly countTokens?: CountTokens | undefined;
}

/** Time limit of a call in milliseconds: that of Anthropic's clients. */
const DEFAULT_TIMEOUT_MS = 600_000;
/** The limit of Anthropic's API. */
const DEFAULT_MAX_BODY_BYTES = 32 * 1024 * 1024;
const DEFAULT_PING_MS = 10_000;
/** Longest silence that can be chosen, in milliseconds: proxies end a silent connection earlier. */
const LONGEST_PING_MS = 3_600_000;

const KINDS: OptionKinds<AnthropicBridgeOptions> = {
  ...{ apiKey: "text", apiBaseUrl: "text", openAIBaseUrl: "text", fetch: "function" },
  ...{
    headers: "object",
    timeoutMs: "number",
    maxRetries: "number",
    auto: "record",
    tags: "record",
  },
  ...{ logger: "logger", token: "anything", maxBodyBytes: "number", pingMs: "number" },
  ...{ countTokens: "function" },
};

/**
 * Creates a handler that speaks Anthropic's Messages API and calls the service's Chat Completions:
 * `POST /v1/messages`, whole and streamed, `POST /v1/messages/count_tokens` and `GET /v1/models`.
 * Mount it on a server that only this machine reaches.
 *
 * Any model name becomes `auto`. The conversion is that of `client.messages`. What Chat Completions
 * cannot express is refused with the reason; hints to Anthropic's own servers, such as
 * `context_management` or a beta of a later version, are left out, and the header `x-left-out` of the
 * answer names them. No header of the program is sent
 * to the service, and the service's key never reaches the program. Errors have Anthropic's shape. When
 * the request's signal says that the program has left, its call ends.
 *
 * `timeoutMs` limits a whole call, its stream included (600 000 unless set).
 *
 * @example
 * ```ts
 * import { anthropicBridge } from "@svc/sdk/bridge";
 * import { assertEquals } from "@std/assert";
 *
 * const handler = anthropicBridge({ apiKey: "svc_live_key", token: "a-token-of-this-machine" });
 * const stranger = new Request("http://127.0.0.1:8789/v1/models");
 * assertEquals((await handler(stranger)).status, 401);
 * ```
 *
 * @throws {ConfigurationError} An option cannot be used.
 * @throws {MissingAPIKeyError} There is no key.
 */
export function anthropicBridge(options: AnthropicBridgeOptions): BridgeHandler {
  const settings = settingsOf(options);
  return (request) => answer(request, settings);
}

function settingsOf(options: AnthropicBridgeOptions): BridgeSettings {
  checkOptions(options, KINDS, { of: "a bridge" });
  const {
    countTokens = estimatedTokens,
    maxBodyBytes = DEFAULT_MAX_BODY_BYTES,
    pingMs = DEFAULT_PING_MS,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    token,
    ...client
  } = options;
  if (typeof token !== "string" || !/^[\x21-\x7E]{16,256}$/.test(token)) {
    // Not quoted: it may be nearly the right one.
    throw new ConfigurationError(
      "Cannot use token: programs need one of 16 to 256 visible ASCII characters",
    );
  }
  if (!Number.isSafeInteger(maxBodyBytes) || maxBodyBytes < 1) {
    throw new ConfigurationError(`Cannot use maxBodyBytes: ${maxBodyBytes} is no number of bytes`);
  }
  if (!(pingMs > 0 && pingMs <= LONGEST_PING_MS)) {
    throw new ConfigurationError(
      `Cannot use pingMs: ${pingMs} is not from 1 to ${LONGEST_PING_MS} milliseconds`,
    );
  }
  const ready = { ...client, timeoutMs };
  if (!transportOptionsOf(ready).hasKey) throw new MissingAPIKeyError();
  // Tools are the program's own: the bridge runs none.
  const { messages } = new ServiceClient({ ...ready, defaultLocalTools: false });
  return { messages, token, maxBodyBytes, pingMs, timeoutMs, countTokens };
}
