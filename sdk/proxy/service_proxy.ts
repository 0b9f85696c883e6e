import { ConfigurationError, MissingAPIKeyError } from "../errors.ts";
import { checkOptions, type OptionKinds } from "../option_kinds.ts";
import { type ServiceClientOptions, transportOptionsOf } from "../options.ts";
import { handle, type ProxySettings } from "./handle.ts";
import type { ProxyBody } from "./request.ts";

/** Where a proxy may lead to. */
export type ProxyPath =
  | "/openai/v1/chat/completions"
  | "/openai/v1/responses"
  | "/openai/v1/images/generations"
  | "/openai/v1/images/edits";

/** Answers one request of the browser's. */
export type ProxyHandler = (request: Request) => Promise<Response>;

/** How a proxy is set up. The key and the addresses are those of a client. */
export interface ServiceProxyOptions extends
  Pick<
    ServiceClientOptions,
    "apiKey" | "apiBaseUrl" | "openAIBaseUrl" | "fetch" | "headers" | "timeoutMs"
  > {
  /** Where every request goes. Chosen here, in the server's code; nothing of it is the browser's. */
  readonly path: ProxyPath;
  /**
   * Asked about every request before its body is read. Only `true` lets it through; a `Response` is
   * sent as it is; anything else is a 403. It must not read the body. What it throws, the handler
   * throws.
   */
  readonly authorize: (
    request: Request,
  ) => boolean | Response | Promise<boolean | Response>;
  /**
   * Changes the body before it is sent: sets limits, adds instructions, takes tools out. A `Response`
   * is sent to the browser instead. Absent: the body is sent as it came, byte for byte. What it
   * throws, the handler throws.
   */
  readonly transform?:
    | ((body: ProxyBody, request: Request) => ProxyBody | Response | Promise<ProxyBody | Response>)
    | undefined;
  /**
   * Longest body that is taken, in bytes.
   *
   * @default {1_048_576}
   */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Names of `X-` headers of the browser's that are sent on, such as `X-Orchestration`; of an option
   * in `headers` the same name the browser's value wins. Its `X-Request-ID` and the dialect it reads
   * (`X-Dialect`, or what its client is known to need) are sent on in any case.
   *
   * @default {[]}
   */
  readonly forwardHeaders?: readonly string[] | undefined;
}

/** What each path is below the base of model calls. */
const MODEL_PATHS: Readonly<Record<ProxyPath, string>> = {
  "/openai/v1/chat/completions": "/chat/completions",
  "/openai/v1/responses": "/responses",
  "/openai/v1/images/generations": "/images/generations",
  "/openai/v1/images/edits": "/images/edits",
};

const KINDS: OptionKinds<ServiceProxyOptions> = {
  ...{ apiKey: "text", apiBaseUrl: "text", openAIBaseUrl: "text", fetch: "function" },
  ...{ headers: "object", timeoutMs: "number", maxBodyBytes: "number" },
  ...{ forwardHeaders: "texts" },
  ...{ path: "anything", authorize: "anything", transform: "function" },
};

/**
 * Makes a handler that an application's server mounts for its own browser code: it sends what the
 * browser posts to one path of the service, with the server's key, and streams the answer back. A
 * browser that leaves ends the call. Nothing is tried twice.
 *
 * The browser's cookies and other headers are not sent on (`forwardHeaders` names exceptions), and of the answer's headers only those that
 * browser code has a use for come back. A body has to be `application/json`, which no form of another
 * site's can send. Errors, its own too, have the service's shape.
 *
 * `timeoutMs` is for the whole request, the body and a streamed answer included.
 *
 * @example
 * ```ts
 * import { serviceProxy } from "@svc/sdk/proxy";
 * import { assertEquals } from "@std/assert";
 *
 * const handler = serviceProxy({
 *   apiKey: "svc_live_key",
 *   path: "/openai/v1/responses",
 *   authorize: (request) => request.headers.get("cookie") === "session=known",
 *   transform: ({ input }) => ({ input, max_output_tokens: 500, stream: true, model: "auto" }),
 * });
 * // Deno.serve(handler), or with Hono: app.all("/api/answer", (c) => handler(c.req.raw))
 *
 * const headers = { "content-type": "application/json" };
 * const body = JSON.stringify({ input: "Hi" });
 * const stranger = new Request("http://app.test/", { method: "POST", headers, body });
 * assertEquals((await handler(stranger)).status, 403);
 * ```
 *
 * @throws {ConfigurationError} An option cannot be used.
 * @throws {MissingAPIKeyError} There is no key.
 */
export function serviceProxy(options: ServiceProxyOptions): ProxyHandler {
  const settings = settingsOf(options);
  return (request) => handle(request, settings);
}

function settingsOf(options: ServiceProxyOptions): ProxySettings {
  checkOptions(options, KINDS, { of: "a proxy" });
  const { authorize, forwardHeaders = [], maxBodyBytes = 1_048_576, path, transform, ...client } =
    options;
  if (!Object.hasOwn(MODEL_PATHS, path)) {
    throw new ConfigurationError(
      `Cannot forward to the path ${JSON.stringify(path)}: there are ${
        Object.keys(MODEL_PATHS).join(", ")
      }`,
    );
  }
  if (typeof authorize !== "function") {
    throw new ConfigurationError(
      "Cannot set up a proxy without authorize: say who may spend the key's credits",
    );
  }
  if (!Number.isSafeInteger(maxBodyBytes) || maxBodyBytes < 1) {
    throw new ConfigurationError(`Cannot use maxBodyBytes: ${maxBodyBytes} is no number of bytes`);
  }
  const refused = forwardHeaders.find((name) => !isForwardable(name));
  if (refused !== undefined) {
    throw new ConfigurationError(
      `Cannot forward the header ${JSON.stringify(refused)}: only X- headers are sent on, ` +
        "and no key",
    );
  }
  const { fetch, hasKey, headers, openAIBaseUrl, timeoutMs } = transportOptionsOf(client);
  const secret = keyIn(headers);
  if (!hasKey || secret === "") throw new MissingAPIKeyError();
  const url = `${openAIBaseUrl}${MODEL_PATHS[path]}`;
  return {
    ...{ url, headers, secret, fetch, timeoutMs },
    ...{ maxBodyBytes, forwardHeaders, authorize, transform },
  };
}

/** A browser holds no key, and what a connection needs is the proxy's own affair. */
function isForwardable(name: string): boolean {
  return /^x-[a-z0-9-]+$/i.test(name) && name.toLowerCase() !== "x-api-key";
}

function keyIn(headers: Headers): string {
  const authorization = headers.get("authorization") ?? "";
  return headers.get("x-api-key") ?? authorization.replace(/^bearer( +|$)/i, "");
}
