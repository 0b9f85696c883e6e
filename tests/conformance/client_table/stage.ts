/**
 * The stage of the table: the real gateway with the simulator or with a scripted upstream, and a
 * client whose requests are recorded.
 *
 * @module
 */

import { assert } from "@std/assert";
import { ServiceClient, type ServiceClientOptions } from "@svc/sdk";
import { type FakeUpstream, json, type Script, sse } from "../../fixtures/fake_upstream.ts";
import { chunkText, completion, labConfig, usage, usageChunk } from "../../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../../fixtures/service.ts";

/** A request that the client sent. */
export interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** As JSON; `undefined` where there is none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Functions that a request declares, and hosted tools by their types; absent: it has no `tools`. */
export function toolsIn({ body }: Sent): string[] | undefined {
  const { tools } = body ?? {};
  if (tools === undefined) return undefined;
  assert(Array.isArray(tools));
  return tools.map((tool) => tool.function?.name ?? tool.name ?? tool.type);
}

/** An amount of a bill, in micro-credits as the ledger has it. */
export function micros(charged: string | undefined): bigint {
  assert(charged !== undefined, "Nothing was billed");
  return BigInt(charged.replace(".", ""));
}

/** A gateway and a client of it. */
export class Stage implements AsyncDisposable {
  readonly service: TestService;
  readonly client: ServiceClient;
  /** Requests of the client, oldest first. */
  readonly sent: readonly Sent[];

  private constructor(service: TestService, options: ServiceClientOptions) {
    const sent: Sent[] = [];
    const { fetch = globalThis.fetch } = options;
    this.service = service;
    this.sent = sent;
    this.client = new ServiceClient({
      apiKey: BOOTSTRAP_KEY,
      apiBaseUrl: service.running.publicUrl,
      ...options,
      fetch: async (input, init) => {
        const { method, url, headers } = new Request(input, init);
        const body = init?.body ? JSON.parse(String(init.body)) : undefined;
        sent.push({ method, url: new URL(url), headers, body });
        return await fetch(input, init);
      },
    });
  }

  /** With the simulator. */
  static async open(options: ServiceClientOptions = {}): Promise<Stage> {
    return new Stage(await TestService.start(), options);
  }

  /** With one model, which is `upstream`. */
  static async before(
    upstream: FakeUpstream,
    options: ServiceClientOptions = {},
  ): Promise<Stage> {
    const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
    return new Stage(await TestService.start({ config }), options);
  }

  /** The newest request of the client's. */
  get last(): Sent {
    const last = this.sent.at(-1);
    assert(last !== undefined, "Nothing was sent");
    return last;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
  }
}

/** A turn of the scripted model. */
export interface Turn {
  readonly text?: string;
  /** Calls as they are on the wire. */
  readonly calls?: readonly Readonly<Record<string, unknown>>[];
}

/** A call on the wire. */
export function wireCall(
  id: string,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

/** Returns the scripted model's answer. */
export function says({ text, calls }: Turn, { stream }: { readonly stream: boolean }): Script {
  const finish = calls === undefined ? "stop" : "tool_calls";
  if (!stream) {
    const message = { role: "assistant", content: text ?? null, refusal: null, tool_calls: calls };
    return json(completion({ choices: [{ index: 0, message, finish_reason: finish }] }));
  }
  const pieces = calls?.map((call, index) => chunkText({ tool_calls: [{ index, ...call }] })) ?? [];
  return sse([
    chunkText({ role: "assistant", content: text === undefined ? null : "" }),
    ...(text ?? "").split(/(?<= )/).filter(Boolean).map((content) => chunkText({ content })),
    ...pieces,
    chunkText({}, finish),
    usageChunk(usage(10, 5)),
  ]);
}
