/**
 * A gateway with a simulated model, and key holders who look at their own records.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { BOOTSTRAP_KEY, TestService, type TestServiceOptions } from "../../fixtures/service.ts";

/** An answer about a key's own records. */
export interface OwnReply {
  readonly status: number;
  readonly headers: Headers;
  /** As `Response.json` has it: tests look into it freely. */
  readonly body: Awaited<ReturnType<Response["json"]>>;
}

/** A service whose keys call and look. */
export class HolderLab implements AsyncDisposable {
  readonly service: TestService;

  private constructor(service: TestService) {
    this.service = service;
  }

  static async start(options: TestServiceOptions = {}): Promise<HolderLab> {
    return new HolderLab(await TestService.start(options));
  }

  /** Looks at a key's own records. */
  async look(path: string, key: string = BOOTSTRAP_KEY): Promise<OwnReply> {
    const response = await fetch(`${this.service.running.publicUrl}/api/v1${path}`, {
      headers: { "x-api-key": key },
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  /** Calls a model. */
  async ask(text: string, options: { key?: string; requestId?: string } = {}): Promise<void> {
    const { key, requestId } = options;
    const response = await this.service.chat({ messages: [{ role: "user", content: text }] }, {
      ...key === undefined ? {} : { key },
      ...requestId === undefined ? {} : { headers: { "x-request-id": requestId } },
    });
    assertEquals(response.status, 200, await response.text());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
  }
}

/** Asserts that the policy of a key hides its wallet from the key's holder, or shows it. */
export async function assertHidesWallet(service: TestService): Promise<void> {
  for (const wallet of ["hidden", "shown"] as const) {
    const { key } = await service.newKey({ policy: { wallet } });
    const response = await fetch(`${service.running.publicUrl}/api/v1/key`, {
      headers: { "x-api-key": key },
    });
    const own = await response.json();
    assertEquals([response.status, own.wallet === null], [200, wallet === "hidden"]);
  }
}
