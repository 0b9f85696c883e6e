/**
 * A provider that outlives the gateway, and counts its output for each request.
 *
 * @module
 */

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { base64Of } from "../../gateway/images/data_uri.ts";
import { PNG } from "../../gateway/images/image_fixture.ts";
import {
  chunkText,
  completion,
  INPUT_MICROS,
  OUTPUT_MICROS,
  usage,
  usageChunk,
} from "../fixtures/lab.ts";
import { type Script, scriptOf, wordAt } from "./script.ts";

/** Output tokens of one image. */
const IMAGE_TOKENS = 50;
/** Duration of one image, in milliseconds. */
const IMAGE_MS = 20;

/** A request as the provider counts it. */
export interface UpstreamCall {
  readonly requestId: string;
  readonly atMs: number;
  readonly inputTokens: number;
  /** Output tokens so far, whether or not they were read. */
  outputTokens: number;
  /** True when the end was sent. */
  ended: boolean;
  /** True when the gateway disconnected before the end. */
  aborted: boolean;
}

/** Returns the price of a call, in micros. */
export function priceOf({ inputTokens, outputTokens }: UpstreamCall): bigint {
  if (outputTokens === 0) return 0n;
  return BigInt(inputTokens) * INPUT_MICROS + BigInt(outputTokens) * OUTPUT_MICROS;
}

/** The provider. */
export class CountingUpstream implements AsyncDisposable {
  /** All requests, oldest first. */
  readonly calls: UpstreamCall[] = [];
  /** Number of answers whose end was sent. */
  ends = 0;
  readonly #hurry = new AbortController();
  #isClosed = false;
  readonly #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => this.#answer(request),
  );

  /** Base URL for a configuration. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/v1`;
  }

  /** Number of calls in flight. */
  get open(): number {
    return this.calls.filter(({ ended, aborted }) => !ended && !aborted).length;
  }

  /** Answers without pauses from now on. */
  hurry(): void {
    this.#hurry.abort();
  }

  /** Aborts the answers in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.hurry();
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const body = await request.json();
    const prompt: string = body.prompt ?? body.messages[0].content;
    const call: UpstreamCall = {
      requestId: request.headers.get("x-request-id") ?? "",
      atMs: Date.now(),
      inputTokens: countTokens(prompt),
      outputTokens: 0,
      ended: false,
      aborted: false,
    };
    this.calls.push(call);
    if (body.prompt !== undefined) return await this.#draw(call);
    const script = scriptOf(prompt);
    if (script.words === 0) return this.#fail(call);
    const words = Math.min(script.words, body.max_tokens ?? Infinity);
    const finish = words < script.words ? "length" : "stop";
    if (body.stream !== true) return await this.#sayAtOnce(call, { ...script, words });
    return this.#say(call, { ...script, words }, finish);
  }

  #fail(call: UpstreamCall): Response {
    this.#end(call);
    return Response.json({ error: { message: "Out of order" } }, { status: 500 });
  }

  async #draw(call: UpstreamCall): Promise<Response> {
    await this.#pause(IMAGE_MS);
    call.outputTokens = IMAGE_TOKENS;
    this.#end(call);
    const { inputTokens } = call;
    return Response.json({
      created: 1_700_000_000,
      data: [{ b64_json: base64Of(PNG) }],
      usage: {
        input_tokens: inputTokens,
        output_tokens: IMAGE_TOKENS,
        total_tokens: inputTokens + IMAGE_TOKENS,
      },
    });
  }

  async #sayAtOnce(call: UpstreamCall, script: Script): Promise<Response> {
    await this.#pause(script.gapMs * script.words);
    let content = "";
    while (call.outputTokens < script.words) content += wordAt(call.outputTokens++);
    this.#end(call);
    const reported = script.reports ? usage(call.inputTokens, call.outputTokens) : undefined;
    return Response.json(completion({ usage: reported }, { content }));
  }

  #say(call: UpstreamCall, script: Script, finish: string): Response {
    const encoder = new TextEncoder();
    const events = this.#events(call, script, finish);
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await events.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(`data: ${value}\n\n`));
      },
      async cancel() {
        call.aborted = !call.ended;
        await events.return(undefined);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  async *#events(call: UpstreamCall, script: Script, finish: string) {
    yield chunkText({ role: "assistant", content: "" });
    while (call.outputTokens < script.words) {
      await this.#pause(script.gapMs);
      if (call.aborted || this.#isClosed) return;
      yield chunkText({ content: wordAt(call.outputTokens++) });
    }
    yield chunkText({}, finish);
    if (script.reports) yield usageChunk(usage(call.inputTokens, call.outputTokens));
    this.#end(call);
    yield "[DONE]";
  }

  #end(call: UpstreamCall): void {
    call.ended = true;
    this.ends++;
  }

  #pause(ms: number): Promise<void> {
    const { signal } = this.#hurry;
    if (signal.aborted || ms === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    const hurry = () => resolve();
    signal.addEventListener("abort", hurry);
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", hurry);
    });
  }
}
