/**
 * Calls of embeddings over HTTP.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { embeddingsAnswerSchema } from "../../../gateway/http/schemas/embeddings.ts";
import { BOOTSTRAP_KEY, type TestService } from "../../fixtures/service.ts";

/** An answer of the endpoint. */
export interface EmbeddingsReply {
  readonly status: number;
  readonly headers: Headers;
  /** As `Response.json` has it: tests look into it freely. */
  readonly body: Awaited<ReturnType<Response["json"]>>;
}

/** Calls the endpoint; `model` is `auto` unless the request names one. */
export async function createEmbeddings(
  service: Pick<TestService, "openaiUrl">,
  request: Readonly<Record<string, unknown>>,
  key: string = BOOTSTRAP_KEY,
): Promise<EmbeddingsReply> {
  const response = await fetch(`${service.openaiUrl}/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", ...request }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Returns the vectors of a call that succeeds, as numbers. */
export async function embeddingsOf(
  service: Pick<TestService, "openaiUrl">,
  request: Readonly<Record<string, unknown>>,
  key?: string,
): Promise<readonly (readonly number[])[]> {
  const { status, body } = await createEmbeddings(service, request, key);
  assertEquals(status, 200, JSON.stringify(body));
  const { data } = embeddingsAnswerSchema.parse(body);
  assertEquals(data.map(({ index }) => index), data.map((_, at) => at));
  return data.map(({ embedding }) => typeof embedding === "string" ? [] : embedding);
}

/** Returns the scalar product of two vectors. */
export function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

/**
 * Asserts that no policy pins a model that embeds nothing. Pins of models that do are in
 * `failures_test.ts`.
 */
export async function assertEmbeds(service: TestService, model: string): Promise<void> {
  const create = () => service.newKey({ policy: { embeddings: { model } } });
  await assertRejects(create, Error, "policy.embeddings.model");
}
