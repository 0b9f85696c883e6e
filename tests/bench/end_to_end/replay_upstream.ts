/**
 * An upstream that gives the recorded answer of every model to every question, at its recorded cost.
 *
 * @module
 */

import { type ReplayPlan, usageOf } from "./replay_plan.ts";

/** The server. */
export class ReplayUpstream implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #plan: ReplayPlan;
  readonly #positions: ReadonlyMap<string, number>;
  /** Calls so far. */
  calls = 0;

  constructor(plan: ReplayPlan) {
    this.#plan = plan;
    this.#positions = new Map(plan.order.map((at) => [plan.set.questions[at]?.q ?? "", at]));
    const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    this.#server = Deno.serve(options, (request) => this.#answer(request));
  }

  /** Base URL of the upstream. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const { model: id, messages } = await request.json();
    this.calls++;
    const { set } = this.#plan;
    const at = this.#positions.get(messages.at(-1)?.content);
    const model = set.models.indexOf(id);
    const question = at === undefined ? undefined : set.questions[at];
    if (question === undefined || model < 0) return Response.json({}, { status: 404 });
    // Answers without a hash compare by their score alone.
    const content = question.a?.[model] ?? `answer ${question.y[model]} of ${id}`;
    return Response.json({
      id: "chatcmpl-replay",
      object: "chat.completion",
      created: 1_700_000_000,
      model: id,
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      usage: reported(usageOf(this.#plan, question, model)),
    });
  }
}

function reported({ inputTokens, outputTokens }: ReturnType<typeof usageOf>) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}
