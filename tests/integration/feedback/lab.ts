/**
 * A gateway with two models and callers that vote on their answers.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { FakeUpstream, json } from "../../fixtures/fake_upstream.ts";
import { completion, labConfig } from "../../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService, type TestServiceOptions } from "../../fixtures/service.ts";

/** An answer to a vote. */
export interface VoteReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly success?: boolean;
    readonly data?: Readonly<Record<string, unknown>>;
    readonly error?:
      & { readonly message: string; readonly code: string }
      & Readonly<
        Record<string, unknown>
      >;
  };
}

/** Two models, `good` and `cheap`, of which the cheap one is nearly as good by the catalog. */
export class FeedbackLab implements AsyncDisposable {
  readonly service: TestService;
  readonly upstreams: readonly FakeUpstream[];

  private constructor(service: TestService, upstreams: readonly FakeUpstream[]) {
    this.service = service;
    this.upstreams = upstreams;
  }

  static async start(
    options: TestServiceOptions & { readonly auto?: unknown } = {},
  ): Promise<FeedbackLab> {
    const upstreams = [new FakeUpstream(), new FakeUpstream()];
    const [good, cheap] = upstreams;
    for (const upstream of upstreams) upstream.otherwise(json(completion()));
    const config = labConfig(
      {
        ...{ id: "good", baseUrl: good?.baseUrl ?? "", quality: 0.9 },
        price: { inputPerMTok: "3.00", outputPerMTok: "15.00" },
      },
      {
        ...{ id: "cheap", baseUrl: cheap?.baseUrl ?? "", quality: 0.85 },
        price: { inputPerMTok: "0.30", outputPerMTok: "1.50" },
      },
    );
    const { auto, ...rest } = options;
    const service = await TestService.start({
      ...rest,
      config: { ...config, auto: { dial: 0.4, exploration: 0, ...Object(auto) } },
    });
    return new FeedbackLab(service, upstreams);
  }

  /** Sends a chat request; returns its route and its ids. */
  async ask(
    text: string,
    { key = BOOTSTRAP_KEY, requestId, more = {} }: {
      readonly key?: string;
      readonly requestId?: string;
      readonly more?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    const headers = requestId === undefined ? undefined : { "x-request-id": requestId };
    const body = { messages: [{ role: "user", content: text }], max_tokens: 100, ...more };
    const response = await this.service.chat(body, { key, ...(headers && { headers }) });
    const { metadata } = await response.json();
    assertEquals(response.status, 200);
    return { requestId: String(metadata.request_id), routing: metadata.routing };
  }

  /** Sends a vote; text goes as it is. */
  async vote(
    body: unknown,
    { key = BOOTSTRAP_KEY, headers = {} }: {
      readonly key?: string;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<VoteReply> {
    const response = await fetch(`${this.service.running.publicUrl}/api/v1/feedback`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  /** Takes the next snapshot. */
  take(): Promise<void> {
    return this.service.running.learning.take();
  }

  /** Returns the votes on a model over all tasks of a wallet, as the newest snapshot has them. */
  votesOn(wallet: string, model: string) {
    const snapshot = this.service.running.learning.newest().wallets.get(wallet);
    return snapshot?.totals[model]?.sums.feedback;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    for (const upstream of this.upstreams) await upstream[Symbol.asyncDispose]();
  }
}
