/** A service that falls silent in the middle of a stream. */

import { assert } from "@std/assert";
import { ServiceClient } from "./mod.ts";

/**
 * A client whose service sends these events and then nothing more, until it is left; and the signals
 * of its calls.
 */
export function silent(events: readonly Readonly<Record<string, unknown>>[]) {
  const calls: AbortSignal[] = [];
  const encoder = new TextEncoder();
  const client = new ServiceClient({
    apiKey: "svc_live_key",
    defaultLocalTools: false,
    timeoutMs: 0,
    fetch: (_, init) => {
      const { signal } = init ?? {};
      assert(signal);
      calls.push(signal);
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start(controller) {
          for (const event of events) {
            controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
          }
          signal.addEventListener("abort", () => controller.error(signal.reason));
        },
      });
      return Promise.resolve(new Response(body));
    },
  });
  return { client, calls };
}
