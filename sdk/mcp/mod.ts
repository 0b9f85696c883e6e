/**
 * Tools of servers of the Model Context Protocol, as tools of a run. Each call asks a permission of
 * the application first.
 *
 * @example
 * ```ts
 * import { mcpTools } from "@svc/sdk/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands for a server at an address; `{ command: "npx", args: ["-y", "…"] }` starts a process.
 * const answers: Record<string, unknown> = {
 *   "initialize": {
 *     protocolVersion: "2025-06-18",
 *     capabilities: { tools: {} },
 *     serverInfo: { name: "weather", version: "1" },
 *   },
 *   "tools/list": { tools: [{ name: "today", inputSchema: { type: "object" } }] },
 *   "tools/call": { content: [{ type: "text", text: "Rain" }] },
 * };
 * const fetch = (_: unknown, init?: RequestInit) => {
 *   const { id, method } = JSON.parse(String(init?.body ?? "{}"));
 *   if (id === undefined) return Promise.resolve(new Response(null, { status: 202 }));
 *   return Promise.resolve(Response.json({ jsonrpc: "2.0", id, result: answers[method] }));
 * };
 *
 * await using mcp = await mcpTools({
 *   servers: { weather: { url: "https://weather.example/mcp", fetch } },
 *   permission: ({ tool }) => tool === "today",
 * });
 * // For a run: client.chat.completions.run(request, { tools: mcp.tools })
 * const [today] = mcp.tools;
 * const context = { toolCallId: "call_1", signal: new AbortController().signal };
 * assertEquals([today?.name, await today?.execute?.({}, context)], ["weather_today", "Rain"]);
 * ```
 *
 * @module
 */

export { McpServerError } from "./server_error.ts";
export { type McpTools, mcpTools, type McpToolsOptions } from "./mcp_tools.ts";
export type { McpPermission, McpPermissionRequest } from "./permission.ts";
export type { McpHttpServer, McpServer, McpStdioServer } from "./server_settings.ts";
