import type { AsStream, CallOptions, Given } from "../call.ts";
import type { LoopEvent } from "../loop/mod.ts";
import type { MessageStreamEvent } from "../protocol/mod.ts";
import { Runner, type RunnerDeps } from "../run/runner.ts";
import type { RunOptions } from "../run/run_options.ts";
import type { RunResult } from "../run/run_result.ts";
import type { EventStream, ServiceStream } from "../service_stream.ts";
import type { MessageCreateRequest, MessagesShapes, MessageTurn } from "./shapes.ts";
import { type MessagesHistory, messagesSurface } from "./surface.ts";

/** The result of a run of Messages. */
export type MessageRunResult = RunResult<MessagesShapes> & MessagesHistory;

/**
 * Requests and answers in Anthropic's shapes (`client.messages`). They are converted here, to and
 * from Chat Completions; nothing else is ever sent. Nothing is dropped silently: a field is
 * translated, passed on unchanged, or refused before sending, with a `ConfigurationError`.
 *
 * | Messages | Chat Completions |
 * | --- | --- |
 * | `max_tokens` | `max_completion_tokens`: thinking counts in both |
 * | `system` | the first message |
 * | `stop_sequences` | `stop` |
 * | `tools` with `input_schema` | functions; names of more than 64 characters are shortened there and back |
 * | `web_search_20250305` and its successors | `web_search_preview` |
 * | `tool_choice` `auto`, `any`, `tool`, `none` | `auto`, `required`, the named tool, `none` |
 * | `disable_parallel_tool_use` | `parallel_tool_calls: false` |
 * | `thinking` | `reasoning_effort`: `none` where disabled; else by `budget_tokens`: `low` below 4 096, `medium` below 16 384, `high`; nothing where adaptive |
 * | `output_config.effort`, `.format` | `reasoning_effort` (`max` is `xhigh`), `response_format` |
 * | `metadata.user_id` | `user`; further members stay in `metadata` |
 * | `service_tier` | `auto`, or `default` for `standard_only` |
 * | thinking blocks | `reasoning_content`; signatures in `extra_content` |
 * | a `tool_result` block | a `tool` message before the rest of its message; images and documents follow in that rest; `is_error` stays, and the text says so |
 * | an image, a document | an `image_url` part; a `file` part, or text |
 * | `temperature`, `top_p`, `cache_control`, and unknown fields | unchanged |
 * | `top_k` | `extra_content.anthropic.top_k`, for upstreams that accept it |
 * | `billing_policy`, `compaction`, `container`, `context_management`, `diagnostics`, `fallbacks`, `fallback_credit_token`, `inference_geo`, `mcp_servers`, `n`, `speed`, `thread`, `user_profile_id`, `workspace_id` | refused |
 * | citations; hidden thinking; blocks and tools of Anthropic's own servers; files stored there | refused |
 *
 * Answers come with `metadata`, the route and the bill. A `tool_use` block has every field that its
 * provider wrote on the call, with `extra_content` and `thought_signature`, and must be sent back
 * unchanged. The service stores no conversations of Messages: each request carries its own.
 *
 * @example
 * ```ts
 * import { ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands for the service: it answers with a chat completion.
 * const fetch = () =>
 *   Promise.resolve(Response.json({
 *     id: "chatcmpl-1",
 *     object: "chat.completion",
 *     model: "fast-mini",
 *     choices: [{ index: 0, message: { content: "Hello" }, finish_reason: "stop" }],
 *   }));
 *
 * const client = new ServiceClient({ apiKey: "svc_live_key", fetch });
 * const message = await client.messages.create({
 *   max_tokens: 1_024,
 *   messages: [{ role: "user", content: "Hi" }],
 * });
 * assertEquals(message.content, [{ type: "text", text: "Hello", citations: null }]);
 * assertEquals(message.stop_reason, "end_turn");
 * ```
 */
export class Messages {
  readonly #runner: Runner<MessagesShapes, MessagesHistory>;

  /** Used by the client. */
  constructor(deps: RunnerDeps) {
    this.#runner = new Runner(messagesSurface, deps);
  }

  /**
   * Makes one message. Runs no tool but the client's defaults, and those only where neither the
   * request nor the client brings tools; the message is then the last turn's, with the usage and the
   * bill of all turns.
   *
   * @throws {ServiceAPIError} The service answered with an error.
   * @throws {ServiceTimeoutError} It took longer than `timeoutMs`.
   * @throws {ServiceConnectionError} The service was not reached, or the connection broke.
   * @throws {ConfigurationError} The request or an option cannot be used; nothing was sent.
   * @throws {RunError} The defaults ran, and a later turn failed; `result` has what was complete.
   */
  create(
    request: AsStream<MessageCreateRequest, false>,
    options?: CallOptions,
  ): Promise<MessageTurn>;
  /**
   * Streams with `stream: true`, as OpenAI's and Anthropic's clients do: the promise resolves with
   * the iterable of events once the first has arrived, and rejects when the call is refused before.
   * Its `final()` is the message of all events.
   */
  create(
    request: AsStream<MessageCreateRequest, true>,
    options?: CallOptions,
  ): Promise<EventStream<MessageStreamEvent, MessageTurn>>;
  /** Streams when the request's `stream` is true. */
  create(
    request: AsStream<MessageCreateRequest, boolean>,
    options?: CallOptions,
  ): Promise<MessageTurn | EventStream<MessageStreamEvent, MessageTurn>>;
  create(
    request: Given<MessageCreateRequest>,
    options: CallOptions = {},
  ): Promise<MessageTurn | EventStream<MessageStreamEvent, MessageTurn>> {
    return this.#runner.create(request, options);
  }

  /**
   * Streams one message: iterate its events, await the message. Tools run as with `create`; each
   * turn then has its own events, from `message_start` to `message_stop`. A tool call's events come
   * when it is complete. Fails as `create` does, also after the first event.
   */
  stream(
    request: Given<MessageCreateRequest>,
    options: CallOptions = {},
  ): ServiceStream<MessageStreamEvent, MessageTurn> {
    return this.#runner.stream(request, options);
  }

  /**
   * Runs the model with tools until it is done or something stops it; `stoppedBy` gives the reason.
   *
   * @throws {RunError} A later turn failed; the error's `result` has what was complete by then.
   * @throws {ServiceError} The first turn failed, as `create` does.
   */
  run(
    request: Given<MessageCreateRequest>,
    options: RunOptions<MessagesShapes> = {},
  ): Promise<MessageRunResult> {
    return this.#runner.run(request, options);
  }

  /** Streams a run: iterate its events, await the result. */
  runStream(
    request: Given<MessageCreateRequest>,
    options: RunOptions<MessagesShapes> = {},
  ): ServiceStream<LoopEvent<MessagesShapes>, MessageRunResult> {
    return this.#runner.runStream(request, options);
  }
}
