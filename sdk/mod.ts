/**
 * The client library of the service: every call, streams, and runs of a model with tools.
 *
 * @example A run whose tool the application brings
 * ```ts
 * import { ServiceClient, tool } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const double = tool({
 *   name: "double",
 *   description: "Doubles a number",
 *   parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
 *   execute: ({ n }) => 2 * n,
 * });
 *
 * // Stands in for the service: its model calls the tool, then tells its result.
 * const named = { name: "double", arguments: '{"n":21}' };
 * const tool_calls = [{ id: "call_1", type: "function", function: named }];
 * const service = (_: unknown, init?: RequestInit) => {
 *   const { role, content } = JSON.parse(String(init?.body)).messages.at(-1);
 *   const message = role === "tool" ? { content } : { tool_calls };
 *   return Promise.resolve(Response.json({ choices: [{ index: 0, message }] }));
 * };
 *
 * const client = new ServiceClient({ apiKey: "svc_live_key", fetch: service, tools: [double] });
 * const { finalText, stoppedBy } = await client.chat.completions.run({
 *   messages: [{ role: "user", content: "What is 21 doubled?" }],
 * });
 * assertEquals([finalText, stoppedBy], ["42", "finish"]);
 * ```
 *
 * @module
 */

export * from "./answer_limits.ts";
export type { ModellessOptions } from "./ask.ts";
export type { AutoOptions } from "./auto_choice.ts";
export type { Tags } from "./tags.ts";
export type {
  AsStream,
  CallOptions,
  Given,
  GivenList,
  Named,
  WithoutModel,
  WithRequestId,
} from "./call.ts";
export { type CatalogOptions, Models, Pricing } from "./catalog/catalog.ts";
export type { Feedback } from "./feedback/feedback.ts";
export { VectorStoreFileBatches } from "./files/file_batches.ts";
export { FileContent } from "./files/file_content.ts";
export { type FileCreateRequest, Files } from "./files/files.ts";
export { type OfVectorStore, VectorStoreFiles } from "./files/vector_store_files.ts";
export { VectorStores } from "./files/vector_stores.ts";
export {
  Key,
  type OwnRecordsOptions,
  Requests,
  type RequestsQuery,
  Usage,
  type UsageQuery,
} from "./own_records/own_records.ts";
export { ChatCompletions, type ChatRunResult } from "./chat/completions.ts";
export type { ChatCreateRequest, ChatShapes, ChatTurn } from "./chat/shapes.ts";
export type { ChatHistory } from "./chat/surface.ts";
export { ServiceClient } from "./client.ts";
export {
  type EmbeddingCreateRequest,
  type EmbeddingList,
  Embeddings,
  type EmbeddingVector,
} from "./embeddings/embeddings.ts";
export * from "./errors.ts";
export { type ImageChangeRequest, type ImageGenerateRequest, Images } from "./images/images.ts";
export type { LogDetails, Logger } from "./logger.ts";
export type { ServiceClientOptions } from "./options.ts";
export * from "./loop/mod.ts";
export { type MessageRunResult, Messages } from "./messages/messages.ts";
export type { MessageCreateRequest, MessagesShapes, MessageTurn } from "./messages/shapes.ts";
export type { MessagesHistory } from "./messages/surface.ts";
export * from "./protocol/mod.ts";
export { type ResponseRunResult, Responses } from "./responses/responses.ts";
export type {
  OutputText,
  ResponseCreateRequest,
  ResponseEvent,
  ResponseShapes,
  ResponseTurn,
} from "./responses/shapes.ts";
export type { ResponseHistory } from "./responses/surface.ts";
export type { LoopChoices, RunOptions } from "./run/run_options.ts";
export type { RunResult } from "./run/run_result.ts";
export { isReply, type OnTask, type TaskProgress } from "./run/tasks.ts";
export { EventStream, type OpenStream, ServiceStream } from "./service_stream.ts";
export type {
  DefaultToolName,
  DefaultToolsOptions,
  LocalToolName,
} from "./toolbox/default_tools.ts";
export type { HostedToolName, RegisteredTools } from "./toolbox/selection.ts";
export type { ContentSource, FileUpload } from "./upload_form.ts";
export {
  calculator,
  datetime,
  type DatetimeOptions,
  DEFAULT_FILE_DENY,
  type FilePermission,
  type FilePermissionRequest,
  fileRead,
  fileSearch,
  fileWrite,
  type FileWriteMode,
  type FileWriteOptions,
  type InputOf,
  type JsonSchema,
  listDir,
  type ObjectOf,
  type RequiredOf,
  shell,
  type ShellOptions,
  type ShellPermission,
  type ShellPermissionRequest,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
  tool,
  ToolContent,
  type ToolDefinition,
  ToolError,
  type ToolImage,
  type TypeNamed,
  type WorkspaceOptions,
} from "@svc/tools";
