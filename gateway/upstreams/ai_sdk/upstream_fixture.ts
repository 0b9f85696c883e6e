/**
 * Upstreams for tests, whose requests are recorded.
 *
 * @module
 */

import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import type { FetchImage } from "../../ports/fetch_image.ts";
import type { UpstreamCall } from "../../ports/upstream.ts";
import { AiSdkUpstream } from "./mod.ts";

/** Settings of an upstream. */
export const CONFIG: UpstreamConfig = {
  id: "lab",
  kind: "anthropic",
  provider: "lab",
  apiKey: "sk-operator-0123456789",
  maxInFlight: 2,
  onDisconnect: "cancel",
  timeouts: { connectMs: 5_000, firstByteMs: 10_000, idleMs: 10_000 },
};

/** A request as the provider receives it. */
export interface RecordedRequest {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
  readonly redirect: unknown;
}

/** Environment of an upstream. */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly nowMs?: number | undefined;
  /** Returns the provider's answer. @default {status 500} */
  readonly answer?: ((url: string) => Response) | undefined;
  readonly readFile?: ((path: string) => Promise<string>) | undefined;
  readonly fetchImage?: FetchImage | undefined;
}

/** Returns an error answer of the provider. */
export function refused(status = 500): Response {
  return Response.json({ error: { message: "No" } }, { status });
}

/** Creates an upstream whose requests are recorded. */
export function recordedUpstream(
  config: Partial<UpstreamConfig>,
  surroundings: Surroundings = {},
) {
  const { answer = () => refused(), env, fetchImage, nowMs = 0, readFile } = surroundings;
  const requests: RecordedRequest[] = [];
  const upstream = new AiSdkUpstream({ ...CONFIG, ...config }, {
    clock: { nowMs: () => nowMs, monotonicMs: () => 0 },
    env: (name) => env?.[name],
    fetchImage,
    readFile,
    fetch: (input, init) => {
      const url = String(input);
      const headers = new Headers(init?.headers);
      requests.push({ url, headers, body: String(init?.body), redirect: init?.redirect });
      return Promise.resolve(answer(url));
    },
  });
  return { requests, upstream, [Symbol.dispose]: () => upstream.close() };
}

/** Returns a call with these fields in its body. */
export function callOf(
  fields: Readonly<Record<string, unknown>> = {},
  more: Partial<UpstreamCall> = {},
): UpstreamCall {
  const value = { model: "auto", messages: [{ role: "user", content: "Hi" }], ...fields };
  return {
    endpoint: "chat",
    model: "claude-sonnet-4-5",
    body: { text: JSON.stringify(value), value },
    stream: false,
    requestId: "req_1",
    signal: new AbortController().signal,
    ...more,
  };
}
