import { Models, Pricing } from "./catalog/catalog.ts";
import { ChatCompletions } from "./chat/completions.ts";
import type { CallOptions, WithRequestId } from "./call.ts";
import { type Feedback, sendFeedback } from "./feedback/feedback.ts";
import { Embeddings } from "./embeddings/embeddings.ts";
import { Files } from "./files/files.ts";
import { VectorStores } from "./files/vector_stores.ts";
import { Images } from "./images/images.ts";
import { Messages } from "./messages/messages.ts";
import { type ServiceClientOptions, transportOptionsOf } from "./options.ts";
import { Key, Requests, Usage } from "./own_records/own_records.ts";
import type { FeedbackResponse } from "./protocol/mod.ts";
import { Responses } from "./responses/responses.ts";
import { defaultTools } from "./toolbox/default_tools.ts";
import { Toolbox } from "./toolbox/selection.ts";
import { Transport } from "./transport.ts";

/**
 * The client of the service. Use it on servers only: a browser must not hold a key.
 *
 * @example One answer, without a network
 * ```ts
 * import { ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const message = { role: "assistant", content: "Hello" };
 * const answer = { choices: [{ index: 0, message, finish_reason: "stop" }] };
 * const client = new ServiceClient({
 *   apiKey: "key",
 *   fetch: () => Promise.resolve(Response.json(answer)),
 * });
 * const { choices } = await client.chat.completions.create({
 *   messages: [{ role: "user", content: "Hi" }],
 * });
 * assertEquals(choices[0]?.message.content, "Hello");
 * ```
 *
 * @example A run with the built-in tools
 * ```ts
 * import { ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands in for the service.
 * const message = { role: "assistant", content: "Hello" };
 * const answer = { id: "c1", choices: [{ index: 0, message, finish_reason: "stop" }] };
 * const client = new ServiceClient({
 *   apiKey: "svc_live_key",
 *   fetch: () => Promise.resolve(Response.json(answer)),
 * });
 *
 * const { finalText } = await client.chat.completions.run({
 *   messages: [{ role: "user", content: "Say hello" }],
 * });
 * assertEquals(finalText, "Hello");
 * ```
 */
export class ServiceClient {
  /** Chat Completions. */
  readonly chat: { readonly completions: ChatCompletions };
  /** Responses. */
  readonly responses: Responses;
  /** Messages: Anthropic's shapes, converted here to and from Chat Completions. */
  readonly messages: Messages;
  /** Image generation and editing. */
  readonly images: Images;
  /** Vectors of texts. */
  readonly embeddings: Embeddings;
  /** Files of the key's wallet. */
  readonly files: Files;
  /** Vector stores of the key's wallet, and their files. */
  readonly vectorStores: VectorStores;
  /** The public catalog and its metadata. */
  readonly models: Models;
  /** Prices of the tiers. */
  readonly pricing: Pricing;
  /** The key itself: its policy, and what remains of its limits. */
  readonly key: Key;
  /** Tokens and credits of the key. */
  readonly usage: Usage;
  /** The log of the key's own requests. */
  readonly requests: Requests;
  readonly #transport: Transport;

  /**
   * Creates a client; sends nothing.
   *
   * @throws {ConfigurationError} An option is unknown, or cannot be used.
   */
  constructor(options: ServiceClientOptions = {}) {
    const transport = this.#transport = new Transport(transportOptionsOf(options));
    const toolbox = new Toolbox(options, defaultTools(options));
    const deps = { transport, toolbox };
    this.chat = { completions: new ChatCompletions(deps) };
    this.responses = new Responses(deps);
    this.messages = new Messages(deps);
    this.images = new Images(transport);
    this.embeddings = new Embeddings(transport);
    this.files = new Files(transport);
    this.vectorStores = new VectorStores(transport);
    this.models = new Models(transport);
    this.pricing = new Pricing(transport);
    this.key = new Key(transport);
    this.usage = new Usage(transport);
    this.requests = new Requests(transport);
  }

  /**
   * Votes on an answer: `auto` learns from votes which model answers a kind of request well. A vote is
   * taken for 7 days, and cannot be changed; sending it again answers the same.
   *
   * @throws {ConfigurationError} The vote has no request id, or a member of another kind.
   * @throws {ServiceAPIError} `not_found`: the key's wallet has no such request; `conflict`: several
   * requests have the id (`body.log_ids` names them), the request failed, or the source has voted
   * otherwise.
   *
   * @example
   * ```ts
   * import { ServiceClient } from "@svc/sdk";
   * import { assertEquals } from "@std/assert";
   *
   * // Stands in for the service.
   * const vote = { request_id: "req_1", log_id: "log_1", source: "caller", score: 1 };
   * const client = new ServiceClient({
   *   apiKey: "svc_live_key",
   *   fetch: () => Promise.resolve(Response.json({ success: true, data: vote })),
   * });
   *
   * const { data } = await client.feedback({ requestId: "req_1", score: 1 });
   * assertEquals(data.log_id, "log_1");
   * ```
   */
  feedback(
    feedback: Feedback,
    options: CallOptions = {},
  ): Promise<WithRequestId<FeedbackResponse>> {
    return sendFeedback(this.#transport, feedback, options);
  }
}
