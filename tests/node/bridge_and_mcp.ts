/**
 * The bridge and the tools of MCP servers in one module, for Node.
 *
 * @module
 */

export * from "@svc/sdk/bridge";
export * from "@svc/sdk/mcp";
