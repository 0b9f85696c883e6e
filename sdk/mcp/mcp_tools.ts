import { type Tool, type ToolContext, ToolError } from "@svc/tools";
import { isJsonObject, type JsonObject } from "@svc/tools/json";
import { GRACE_MS, timeLimit } from "@svc/tools/sandbox";
import { ConfigurationError } from "../errors.ts";
import { checkOptions, type OptionKinds } from "../option_kinds.ts";
import { askFor, type McpPermission } from "./permission.ts";
import type { ListedTool } from "./protocol_library.ts";
import { resultOf } from "./result.ts";
import { checkServer, connect, type Connection } from "./server.ts";
import type { McpServer } from "./server_settings.ts";
import { ToolNames } from "./tool_name.ts";

/** Options of {@linkcode mcpTools}. */
export interface McpToolsOptions {
  /** The servers, by names of the application's choice: 1 to 32 of `A-Z a-z 0-9 _ -`. */
  readonly servers: Readonly<Record<string, McpServer>>;
  /** Decides on each call. Absent: every call is refused. */
  readonly permission?: McpPermission | undefined;
  /**
   * Longest wait for the permission in milliseconds; no answer refuses.
   *
   * @default {300_000}
   */
  readonly permissionTimeoutMs?: number | undefined;
  /**
   * Longest wait in milliseconds for a server to start and to list its tools.
   *
   * @default {30_000}
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Longest run of one call in milliseconds.
   *
   * @default {60_000}
   */
  readonly timeoutMs?: number | undefined;
}

/** The tools of connected servers. Close them: a server that is a process runs until then. */
export interface McpTools extends AsyncDisposable {
  /**
   * The tools, for `tools` of a client or a run, as the servers listed them when they were connected.
   * The name of each is the server's and its own, `files_read_file`, shortened where it has to be.
   */
  readonly tools: readonly Tool[];
  /**
   * Ends all connections, and the servers that are processes with all that they have started.
   * Repeated calls do nothing.
   */
  close(): Promise<void>;
}

/** Limits and the permission of calls. */
interface CallSettings {
  readonly permission: McpPermission | undefined;
  readonly permissionTimeoutMs: number;
  readonly timeoutMs: number;
}

const KINDS: OptionKinds<McpToolsOptions> = {
  ...{ servers: "record", permission: "function" },
  ...{ permissionTimeoutMs: "number", connectTimeoutMs: "number", timeoutMs: "number" },
};

/** Codes of the protocol's errors, as its library numbers them. */
const CONNECTION_CLOSED = -32_000;
const REQUEST_TIMEOUT = -32_001;

/**
 * Connects to servers of the Model Context Protocol and returns their tools for a run. Every call is
 * refused unless the `permission` callback grants the very call. The library of the protocol is
 * loaded with the first call of this function.
 *
 * Results keep text, images and structured content; a failure that the server reports is a result
 * that the model reads. On Deno a server that is a process needs `--allow-run` and `--allow-env`.
 *
 * @example
 * ```ts
 * import { mcpTools } from "@svc/sdk/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * // Without a server there are no tools.
 * await using mcp = await mcpTools({ servers: {}, permission: ({ tool }) => tool === "search" });
 * assertEquals(mcp.tools, []);
 * ```
 *
 * @throws {ConfigurationError} An option cannot be used.
 * @throws {McpServerError} A server cannot be used; the others are closed again.
 */
export async function mcpTools(options: McpToolsOptions): Promise<McpTools> {
  checkOptions(options, KINDS, { of: "MCP tools" });
  const { connectTimeoutMs = 30_000, permission, servers } = options;
  if (servers === undefined) {
    throw new ConfigurationError("Cannot use MCP tools without servers: give them by name");
  }
  const settings = {
    permission,
    permissionTimeoutMs: checkedLimit(
      "permissionTimeoutMs",
      options.permissionTimeoutMs ?? 300_000,
    ),
    timeoutMs: checkedLimit("timeoutMs", options.timeoutMs ?? 60_000),
  };
  const connectMs = checkedLimit("connectTimeoutMs", connectTimeoutMs);
  for (const [name, server] of Object.entries(servers)) checkServer(name, server);
  const connections = await connectAll(servers, connectMs);
  const names = new ToolNames();
  const tools = connections.flatMap((connection) =>
    connection.tools.map((listed) => ({
      ...toolOf(listed, { connection, settings }),
      name: names.next(connection.server, listed.name),
    }))
  );
  let closing: Promise<void> | undefined;
  const close = () => closing ??= closeAll(connections);
  return { tools, close, [Symbol.asyncDispose]: close };
}

function checkedLimit(name: string, ms: number): number {
  try {
    return timeLimit(name, ms);
  } catch (error) {
    throw error instanceof RangeError ? new ConfigurationError(error.message) : error;
  }
}

async function connectAll(
  servers: McpToolsOptions["servers"],
  timeoutMs: number,
): Promise<Connection[]> {
  const outcomes = await Promise.allSettled(
    Object.entries(servers).map(([name, server]) => connect(name, { server, timeoutMs })),
  );
  const connections = outcomes.flatMap((one) => one.status === "fulfilled" ? [one.value] : []);
  const failed = outcomes.find((one) => one.status === "rejected");
  if (failed === undefined) return connections;
  await closeAll(connections);
  throw failed.reason;
}

async function closeAll(connections: readonly Connection[]): Promise<void> {
  await Promise.all(connections.map((connection) => connection.close()));
}

/** Returns a tool of a server without its name. */
function toolOf(
  { annotations = {}, description, inputSchema, name, title }: ListedTool,
  { connection, settings }: {
    readonly connection: Connection;
    readonly settings: CallSettings;
  },
): Omit<Tool, "name"> {
  const { permission, permissionTimeoutMs, timeoutMs } = settings;
  return {
    description: description ?? title,
    parameters: inputSchema,
    // The runner of the tool has to wait for the permission, the call and its end.
    timeoutMs: timeLimit("timeoutMs", permissionTimeoutMs + timeoutMs + GRACE_MS),
    async execute(input, { signal, toolCallId }) {
      if (!isJsonObject(input)) {
        throw new ToolError("The input is no object", { code: "invalid_tool_arguments" });
      }
      const about = { server: connection.server, tool: name, annotations, toolCallId, signal };
      await askFor({ ...about, input: structuredClone(input) }, {
        ...{ permission, timeoutMs: permissionTimeoutMs },
      });
      const result = await called(connection, { name, input, signal, timeoutMs });
      return resultOf(result);
    },
  };
}

async function called(
  { client }: Connection,
  { input, name, signal, timeoutMs }:
    & { readonly input: JsonObject; readonly name: string; readonly timeoutMs: number }
    & Pick<ToolContext, "signal">,
): Promise<JsonObject> {
  if (client.transport === undefined) {
    throw new ToolError("The tool did not run: the connection to its server is closed", {
      code: "mcp_disconnected",
    });
  }
  try {
    const call = { name, arguments: { ...input } };
    const options = { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs };
    return await client.callTool(call, undefined, options);
  } catch (error) {
    throw asToolError(error, timeoutMs);
  }
}

/** Returns an error that the model can read, where the server or the protocol wrote it. */
function asToolError(error: unknown, timeoutMs: number): unknown {
  if (!(error instanceof Error) || error.name !== "McpError" || !("code" in error)) return error;
  const options = { cause: error };
  if (error.code === REQUEST_TIMEOUT) {
    const message = `The tool was stopped after ${timeoutMs} ms; it may have taken effect`;
    return new ToolError(message, { ...options, code: "tool_timeout" });
  }
  if (error.code === CONNECTION_CLOSED) {
    const message = "The connection to the tool's server is closed; it may have taken effect";
    return new ToolError(message, { ...options, code: "mcp_disconnected" });
  }
  return new ToolError(error.message, { ...options, code: "mcp_error" });
}
