import { Models, Pricing } from "./catalog/catalog.ts";
import { ChatCompletions } from "./chat/completions.ts";
import { baseUrl, readEnvironment, Transport } from "./transport.ts";

/** How a client is set up. An option that is given never touches the environment. */
export interface ServiceClientOptions {
  /**
   * Needed by every call but `models.list`.
   *
   * @default {SERVICE_API_KEY}
   */
  readonly apiKey?: string | undefined;
  /** Base of the service. @default {SERVICE_API_BASE_URL, else http://127.0.0.1:8787} */
  readonly apiBaseUrl?: string | undefined;
  /** Base of model calls. @default {SERVICE_OPENAI_BASE_URL, else apiBaseUrl + /openai/v1} */
  readonly openAIBaseUrl?: string | undefined;
  /**
   * What requests are sent with, for a proxy or a test.
   *
   * @default {globalThis.fetch}
   */
  readonly fetch?: typeof fetch | undefined;
  /**
   * For the whole request, or the life of a consumed stream; 0 or less: none.
   *
   * @default {60_000}
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * The client of the service. Use it on servers only: a browser must not hold a key.
 *
 * @example
 * ```ts ignore
 * import { ServiceClient } from "@svc/sdk";
 *
 * const client = new ServiceClient({ apiKey: "svc_live_…" });
 * const answer = await client.chat.completions.create({
 *   messages: [{ role: "user", content: "Say hello" }],
 * });
 * console.log(answer.choices[0]?.message.content, answer.metadata?.billing?.charged);
 * ```
 */
export class ServiceClient {
  /** Chat Completions. */
  readonly chat: { readonly completions: ChatCompletions };
  /** The public catalog and its metadata. */
  readonly models: Models;
  /** What tiers cost. */
  readonly pricing: Pricing;

  /**
   * Sets a client up; sends nothing.
   *
   * @throws {ConfigurationError} A base address is no http(s) URL.
   */
  constructor(options: ServiceClientOptions = {}) {
    const api = baseUrl(
      options.apiBaseUrl ?? readEnvironment("SERVICE_API_BASE_URL") ?? "http://127.0.0.1:8787",
      "apiBaseUrl",
    );
    const transport = new Transport({
      apiBaseUrl: api,
      openAIBaseUrl: baseUrl(
        options.openAIBaseUrl ?? readEnvironment("SERVICE_OPENAI_BASE_URL") ?? `${api}/openai/v1`,
        "openAIBaseUrl",
      ),
      apiKey: options.apiKey ?? readEnvironment("SERVICE_API_KEY"),
      fetch: options.fetch ?? globalThis.fetch,
      timeoutMs: options.timeoutMs ?? 60_000,
    });
    this.chat = { completions: new ChatCompletions(transport) };
    this.models = new Models(transport);
    this.pricing = new Pricing(transport);
  }
}
