import { ServiceError } from "../errors.ts";

/**
 * A server of the Model Context Protocol was not started or reached, or did not tell its tools.
 *
 * @example
 * ```ts
 * import { mcpTools, McpServerError } from "@svc/sdk/mcp";
 * import { assertRejects } from "@std/assert";
 *
 * const servers = { files: { command: "/no/such/program" } };
 * await assertRejects(() => mcpTools({ servers }), McpServerError, '"files"');
 * ```
 */
export class McpServerError extends ServiceError {
  /** The class's name, in minified code too. */
  static override readonly kind: string = "McpServerError";
  /** The class's name, for code that cannot compare classes. */
  override name = "McpServerError";
}
