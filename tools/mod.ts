/**
 * Tools that can be handed to a model: the contract, and later the built-in local tools.
 *
 * @module
 */

export { type Tool, type ToolContext, ToolError, type ToolExecute } from "./tool.ts";
