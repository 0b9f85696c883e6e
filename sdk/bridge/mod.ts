/**
 * Lets programs that speak Anthropic's Messages API run on the service: a handler for a local server
 * that converts their requests to Chat Completions. The service itself has no such address.
 *
 * @example
 * ```ts
 * import { anthropicBridge } from "@svc/sdk/bridge";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands for the service: it answers with a chat completion.
 * const fetch = () =>
 *   Promise.resolve(Response.json({
 *     id: "chatcmpl-1",
 *     model: "fast-mini",
 *     choices: [{ index: 0, message: { content: "Hello" }, finish_reason: "stop" }],
 *   }));
 * const token = "a-token-of-this-machine";
 * const handler = anthropicBridge({ apiKey: "svc_live_key", token, fetch });
 * // Deno.serve({ hostname: "127.0.0.1", port: 8789 }, handler)
 *
 * const body = { model: "any", max_tokens: 100, messages: [{ role: "user", content: "Hi" }] };
 * const answer = await handler(
 *   new Request("http://127.0.0.1:8789/v1/messages", {
 *     method: "POST",
 *     headers: { "content-type": "application/json", "x-api-key": token },
 *     body: JSON.stringify(body),
 *   }),
 * );
 * assertEquals((await answer.json()).content, [{ type: "text", text: "Hello", citations: null }]);
 * ```
 *
 * @module
 */

export {
  anthropicBridge,
  type AnthropicBridgeOptions,
  type BridgeHandler,
} from "./anthropic_bridge.ts";
export type { CountTokens } from "./token_count.ts";
