import type { AsStream, CallOptions, Given } from "../call.ts";
import type { LoopEvent } from "../loop/mod.ts";
import { Runner, type RunnerDeps } from "../run/runner.ts";
import type { RunOptions } from "../run/run_options.ts";
import type { RunResult } from "../run/run_result.ts";
import type { EventStream, ServiceStream } from "../service_stream.ts";
import type {
  ResponseCreateRequest,
  ResponseEvent,
  ResponseShapes,
  ResponseTurn,
} from "./shapes.ts";
import { type ResponseHistory, responseSurface } from "./surface.ts";

/** The result of a run of Responses. */
export type ResponseRunResult = RunResult<ResponseShapes> & ResponseHistory;

/** `client.responses`. */
export class Responses {
  readonly #runner: Runner<ResponseShapes, ResponseHistory>;

  /** Used by the client. */
  constructor(deps: RunnerDeps) {
    this.#runner = new Runner(responseSurface, deps);
  }

  /**
   * Makes one response. Runs no tool but the client's defaults, and those only where neither the
   * request nor the client brings tools; the response is then the last turn's, with the usage and
   * the bill of all turns.
   *
   * @throws {ServiceAPIError} The service answered with an error, or the response failed.
   * @throws {ServiceTimeoutError} It took longer than `timeoutMs`.
   * @throws {ServiceConnectionError} The service was not reached, or the connection broke.
   * @throws {ConfigurationError} The request or an option cannot be used; nothing was sent.
   * @throws {RunError} The defaults ran, and a later turn failed; `result` has what was complete.
   *
   * @example
   * ```ts
   * import { ServiceClient } from "@svc/sdk";
   * import { assertEquals } from "@std/assert";
   *
   * // Stands in for the service.
   * const answer = {
   *   id: "resp_1",
   *   status: "completed",
   *   output: [{ type: "message", content: [{ type: "output_text", text: "Hello" }] }],
   * };
   * const client = new ServiceClient({
   *   apiKey: "svc_live_key",
   *   fetch: () => Promise.resolve(Response.json(answer)),
   * });
   *
   * const response = await client.responses.create({ input: "Say hello" });
   * assertEquals(response.output_text, "Hello");
   * ```
   */
  create(
    request: AsStream<ResponseCreateRequest, false>,
    options?: CallOptions,
  ): Promise<ResponseTurn>;
  /**
   * Streams with `stream: true`, as OpenAI's and Anthropic's clients do: the promise resolves with
   * the iterable of events once the first has arrived, and rejects when the call is refused before.
   * Its `final()` is the response of all events.
   */
  create(
    request: AsStream<ResponseCreateRequest, true>,
    options?: CallOptions,
  ): Promise<EventStream<ResponseEvent, ResponseTurn>>;
  /** Streams when the request's `stream` is true. */
  create(
    request: AsStream<ResponseCreateRequest, boolean>,
    options?: CallOptions,
  ): Promise<ResponseTurn | EventStream<ResponseEvent, ResponseTurn>>;
  create(
    request: Given<ResponseCreateRequest>,
    options: CallOptions = {},
  ): Promise<ResponseTurn | EventStream<ResponseEvent, ResponseTurn>> {
    return this.#runner.create(request, options);
  }

  /**
   * Streams one response: iterate its events, await the response. Tools run as with `create`; the
   * events of every turn come through, in order. Fails as `create` does, also after the first event.
   *
   * @example
   * ```ts
   * import { ServiceClient } from "@svc/sdk";
   * import { assertEquals } from "@std/assert";
   *
   * // Stands in for the service.
   * const item = { type: "message", content: [{ type: "output_text", text: "Hello" }] };
   * const events = [
   *   { type: "response.output_text.delta", output_index: 0, delta: "Hel" },
   *   { type: "response.output_text.delta", output_index: 0, delta: "lo" },
   *   { type: "response.completed", response: { status: "completed", output: [item] } },
   * ];
   * const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
   * const client = new ServiceClient({
   *   apiKey: "svc_live_key",
   *   fetch: () => Promise.resolve(new Response(body)),
   * });
   *
   * const stream = client.responses.stream({ input: "Say hello" });
   * let text = "";
   * for await (const event of stream) {
   *   if (event.type === "response.output_text.delta") text += event.delta;
   * }
   * assertEquals(text, "Hello");
   * assertEquals((await stream).outputText, "Hello");
   * ```
   */
  stream(
    request: Given<ResponseCreateRequest>,
    options: CallOptions = {},
  ): ServiceStream<ResponseEvent, ResponseTurn> {
    return this.#runner.stream(request, options);
  }

  /**
   * Runs the model with tools until it is done or something stops it; `stoppedBy` gives the reason.
   * All output of each turn is appended to `input`; a `previous_response_id` is kept. For a custom
   * tool that the request declares, the handler of its name receives the text that the model wrote.
   *
   * @throws {RunError} A later turn failed; the error's `result` has what was complete by then.
   * @throws {ServiceError} The first turn failed, as `create` does.
   *
   * @example
   * ```ts
   * import { ServiceClient } from "@svc/sdk";
   * import { assertEquals } from "@std/assert";
   *
   * // Stands in for the service: calls the tool, then tells its result.
   * const call = { type: "function_call", call_id: "call_1", name: "double", arguments: '{"n":21}' };
   * const client = new ServiceClient({
   *   apiKey: "svc_live_key",
   *   fetch: async (input, init) => {
   *     const request = await new Request(input, init).json();
   *     const result = Array.isArray(request.input) ? request.input.at(-1).output : undefined;
   *     const message = { type: "message", content: [{ type: "output_text", text: result }] };
   *     const output = result === undefined ? [call] : [message];
   *     return Response.json({ status: "completed", output });
   *   },
   *   tools: [{
   *     name: "double",
   *     parameters: { type: "object", properties: { n: { type: "number" } } },
   *     execute: (input) => 2 * Object(input).n,
   *   }],
   * });
   *
   * const { finalText, input } = await client.responses.run({ input: "Double 21" });
   * assertEquals(finalText, "42");
   * assertEquals(input.map(({ type }) => type), [
   *   ...["message", "function_call", "function_call_output", "message"],
   * ]);
   * ```
   */
  run(
    request: Given<ResponseCreateRequest>,
    options: RunOptions<ResponseShapes> = {},
  ): Promise<ResponseRunResult> {
    return this.#runner.run(request, options);
  }

  /**
   * Streams a run: iterate its events, await the result.
   *
   * @example
   * ```ts
   * import { ServiceClient } from "@svc/sdk";
   * import { assertEquals } from "@std/assert";
   *
   * // Stands in for the service.
   * const item = { type: "message", content: [{ type: "output_text", text: "391" }] };
   * const events = [
   *   { type: "response.output_text.delta", output_index: 0, delta: "391" },
   *   { type: "response.completed", response: { status: "completed", output: [item] } },
   * ];
   * const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
   * const client = new ServiceClient({
   *   apiKey: "svc_live_key",
   *   fetch: () => Promise.resolve(new Response(body)),
   * });
   *
   * const run = client.responses.runStream({ input: "What is 17 * 23?" }, { maxSteps: 3 });
   * const seen: string[] = [];
   * for await (const event of run) if (event.type !== "chunk") seen.push(event.type);
   * assertEquals(seen, ["step_start", "text_delta", "finish", "step"]);
   *
   * const { finalText, stoppedBy } = await run;
   * assertEquals([finalText, stoppedBy], ["391", "finish"]);
   * ```
   */
  runStream(
    request: Given<ResponseCreateRequest>,
    options: RunOptions<ResponseShapes> = {},
  ): ServiceStream<LoopEvent<ResponseShapes>, ResponseRunResult> {
    return this.#runner.runStream(request, options);
  }
}
