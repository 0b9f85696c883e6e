import type { AsStream, CallOptions, Given } from "../call.ts";
import type { LoopEvent } from "../loop/mod.ts";
import type { ChatCompletionChunk } from "../protocol/mod.ts";
import { Runner, type RunnerDeps } from "../run/runner.ts";
import type { RunOptions } from "../run/run_options.ts";
import type { RunResult } from "../run/run_result.ts";
import type { EventStream, ServiceStream } from "../service_stream.ts";
import type { ChatCreateRequest, ChatShapes, ChatTurn } from "./shapes.ts";
import { type ChatHistory, chatSurface } from "./surface.ts";

/** The result of a run of Chat Completions. */
export type ChatRunResult = RunResult<ChatShapes> & ChatHistory;

/**
 * Chat Completions (`client.chat.completions`).
 *
 * @example A run that calls a tool
 * ```ts
 * import { ServiceClient, tool } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const weather = tool({
 *   name: "weather",
 *   description: "The weather of a city",
 *   parameters: {
 *     type: "object",
 *     properties: { city: { type: "string" } },
 *     required: ["city"],
 *   },
 *   execute: ({ city }) => `Rain in ${city}`,
 * });
 *
 * // A model that calls the tool, and then repeats its result.
 * const call = { name: "weather", arguments: '{"city":"Oslo"}' };
 * const client = new ServiceClient({
 *   apiKey: "key",
 *   tools: [weather],
 *   fetch: (_, init) => {
 *     const { role, content } = JSON.parse(String(init?.body)).messages.at(-1);
 *     const message = role === "tool"
 *       ? { role: "assistant", content }
 *       : { role: "assistant", tool_calls: [{ id: "1", type: "function", function: call }] };
 *     return Promise.resolve(Response.json({ choices: [{ index: 0, message }] }));
 *   },
 * });
 * const { finalText, steps } = await client.chat.completions.run({
 *   messages: [{ role: "user", content: "Rain?" }],
 * });
 * assertEquals([finalText, steps.length], ["Rain in Oslo", 2]);
 * ```
 *
 * @example A stream: its chunks, then the completion
 * ```ts
 * import { ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const events = [
 *   { choices: [{ index: 0, delta: { content: "Hel" }, finish_reason: null }] },
 *   { choices: [{ index: 0, delta: { content: "lo" }, finish_reason: "stop" }] },
 * ];
 * const body = [...events.map((event) => JSON.stringify(event)), "[DONE]"]
 *   .map((data) => `data: ${data}\n\n`).join("");
 * const client = new ServiceClient({
 *   apiKey: "key",
 *   fetch: () => Promise.resolve(new Response(body)),
 * });
 * const stream = client.chat.completions.stream({
 *   messages: [{ role: "user", content: "Hi" }],
 * });
 * const pieces: unknown[] = [];
 * for await (const { choices } of stream) pieces.push(choices[0]?.delta.content);
 * assertEquals(pieces, ["Hel", "lo"]);
 * assertEquals((await stream).choices[0]?.message.content, "Hello");
 * ```
 */
export class ChatCompletions {
  readonly #runner: Runner<ChatShapes, ChatHistory>;

  /** Used by the client. */
  constructor(deps: RunnerDeps) {
    this.#runner = new Runner(chatSurface, deps);
  }

  /**
   * Makes one completion. Runs no tool but the client's defaults, and those only where neither the
   * request nor the client brings tools; the completion is then the last turn's, with the usage and
   * the bill of all turns.
   *
   * @throws {ServiceAPIError} The service answered with an error.
   * @throws {ServiceTimeoutError} It took longer than `timeoutMs`.
   * @throws {ServiceConnectionError} The service was not reached, or the connection broke.
   * @throws {ConfigurationError} The request or an option cannot be used; nothing was sent.
   * @throws {RunError} The defaults ran, and a later turn failed; `result` has what was complete.
   */
  create(request: AsStream<ChatCreateRequest, false>, options?: CallOptions): Promise<ChatTurn>;
  /**
   * Streams with `stream: true`, as OpenAI's and Anthropic's clients do: the promise resolves with
   * the iterable of chunks once the first has arrived, and rejects when the call is refused before.
   * Its `final()` is the completion of all chunks.
   */
  create(
    request: AsStream<ChatCreateRequest, true>,
    options?: CallOptions,
  ): Promise<EventStream<ChatCompletionChunk, ChatTurn>>;
  /** Streams when the request's `stream` is true. */
  create(
    request: AsStream<ChatCreateRequest, boolean>,
    options?: CallOptions,
  ): Promise<ChatTurn | EventStream<ChatCompletionChunk, ChatTurn>>;
  create(
    request: Given<ChatCreateRequest>,
    options: CallOptions = {},
  ): Promise<ChatTurn | EventStream<ChatCompletionChunk, ChatTurn>> {
    return this.#runner.create(request, options);
  }

  /**
   * Streams one completion: iterate its chunks, await the completion. `choices` is empty on chunks
   * that carry only usage and metadata. Tools run as with `create`; the chunks of every turn come
   * through, in order. Fails as `create` does, also after the first chunk.
   */
  stream(
    request: Given<ChatCreateRequest>,
    options: CallOptions = {},
  ): ServiceStream<ChatCompletionChunk, ChatTurn> {
    return this.#runner.stream(request, options);
  }

  /**
   * Runs the model with tools until it is done or something stops it; `stoppedBy` gives the reason.
   * Calls of the older kind (`function_call`, for requests with `functions`) are run and answered
   * in that kind.
   *
   * @throws {RunError} A later turn failed; the error's `result` has what was complete by then.
   * @throws {ServiceError} The first turn failed, as `create` does.
   */
  run(
    request: Given<ChatCreateRequest>,
    options: RunOptions<ChatShapes> = {},
  ): Promise<ChatRunResult> {
    return this.#runner.run(request, options);
  }

  /** Streams a run: iterate its events, await the result. */
  runStream(
    request: Given<ChatCreateRequest>,
    options: RunOptions<ChatShapes> = {},
  ): ServiceStream<LoopEvent<ChatShapes>, ChatRunResult> {
    return this.#runner.runStream(request, options);
  }
}
