import { ConfigurationError, MissingAPIKeyError } from "../errors.ts";
import { checkOptions, type OptionKinds } from "../option_kinds.ts";
import { type ServiceClientOptions, transportOptionsOf } from "../options.ts";
import { handle, type ProxySettings } from "./handle.ts";
import type { ProxyBody } from "./request.ts";

/** Path of the service that a proxy calls. */
export type ProxyPath =
  | "/openai/v1/chat/completions"
  | "/openai/v1/responses"
  | "/openai/v1/images/generations"
  | "/openai/v1/images/edits"
  | "/openai/v1/embeddings";

/** Answers one request of the browser's. */
export type ProxyHandler = (request: Request) => Promise<Response>;

/** Options of a proxy. The key and the addresses are those of a client. */
export interface ServiceProxyOptions extends
  Pick<
    ServiceClientOptions,
    "apiKey" | "apiBaseUrl" | "openAIBaseUrl" | "fetch" | "headers" | "timeoutMs"
  > {
  /** The path of every request. The server's code chooses it; the browser has no influence. */
  readonly path: ProxyPath;
  /**
   * Called with every request before its body is read. Only `true` accepts it; a `Response` is sent
   * unchanged; any other value is a 403. It must not read the body. The handler throws its errors.
   */
  readonly authorize: (request: Request) => boolean | Response | Promise<boolean | Response>;
  /**
   * Changes the body before it is sent: sets limits, adds instructions, removes tools. A `Response`
   * is sent to the browser instead. Absent: the body is sent byte for byte. The handler throws its
   * errors.
   */
  readonly transform?:
    | ((body: ProxyBody, request: Request) => ProxyBody | Response | Promise<ProxyBody | Response>)
    | undefined;
  /**
   * Longest accepted body, in bytes.
   *
   * @default {1_048_576}
   */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Names of `X-` headers of the browser to pass on, such as `X-Orchestration`; the browser's value
   * wins over one of the same name in `headers`. Its `X-Request-ID` and the dialect that it reads
   * (`X-Dialect`, or the one its client is known to need) are always passed on.
   *
   * @default {[]}
   */
  readonly forwardHeaders?: readonly string[] | undefined;
}

/** Paths below the base of model calls. */
const MODEL_PATHS: Readonly<Record<ProxyPath, string>> = {
  "/openai/v1/chat/completions": "/chat/completions",
  "/openai/v1/responses": "/responses",
  "/openai/v1/images/generations": "/images/generations",
  "/openai/v1/images/edits": "/images/edits",
  "/openai/v1/embeddings": "/embeddings",
};

const KINDS: OptionKinds<ServiceProxyOptions> = {
  ...{ apiKey: "text", apiBaseUrl: "text", openAIBaseUrl: "text", fetch: "function" },
  ...{ headers: "object", timeoutMs: "number", maxBodyBytes: "number" },
  ...{ forwardHeaders: "texts" },
  ...{ path: "anything", authorize: "anything", transform: "function" },
};

/**
 * Creates a handler that an application's server mounts for its own browser code: it posts the
 * browser's body to one path of the service, with the server's key, and streams the answer back. A
 * browser that disconnects ends the call. There are no retries.
 *
 * The browser's cookies and other headers are not passed on (`forwardHeaders` names exceptions), and
 * of the answer's headers only those that browser code uses. A body must be `application/json`,
 * which a form of another site cannot send. All errors have the service's shape.
 *
 * `timeoutMs` limits the whole request, with the body and a streamed answer.
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

/** True for a header that may be passed on: never a key, and never one of the connection. */
function isForwardable(name: string): boolean {
  return /^x-[a-z0-9-]+$/i.test(name) && name.toLowerCase() !== "x-api-key";
}

function keyIn(headers: Headers): string {
  const authorization = headers.get("authorization") ?? "";
  return headers.get("x-api-key") ?? authorization.replace(/^bearer( +|$)/i, "");
}
