/**
 * The wire shapes of the service: the JSON that applications and the gateway exchange.
 *
 * This is the only definition of each shape; the gateway and the client library both import it.
 * Every object may carry unknown fields, and they are preserved.
 *
 * @example
 * ```ts
 * import { type ChatRequest, MODEL_AUTO } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const request: ChatRequest = {
 *   model: MODEL_AUTO,
 *   messages: [{ role: "user", content: "Hello" }],
 * };
 * assertEquals(request.messages.length, 1);
 * ```
 *
 * @module
 */

export * from "./catalog.ts";
export * from "./feedback.ts";
export * from "./files.ts";
export * from "./own_records.ts";
export * from "./chat.ts";
export * from "./chat_chunks.ts";
export * from "./chat_messages.ts";
export * from "./chat_tools.ts";
export * from "./chat_usage.ts";
export * from "./dialect.ts";
export * from "./embeddings.ts";
export * from "./error.ts";
export * from "./extensible.ts";
export * from "./images.ts";
export * from "./json.ts";
export * from "./messages.ts";
export * from "./messages_content.ts";
export * from "./messages_events.ts";
export * from "./messages_sources.ts";
export * from "./metadata.ts";
export * from "./orchestration.ts";
export * from "./responses.ts";
export * from "./responses_event_base.ts";
export * from "./responses_events.ts";
export * from "./responses_input.ts";
export * from "./responses_output.ts";
export * from "./responses_parts.ts";
export * from "./responses_request.ts";
export * from "./responses_text_events.ts";
export * from "./vector_stores.ts";
