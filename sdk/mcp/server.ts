import { setTimeout as delay } from "node:timers/promises";
import { GRACE_MS } from "@svc/tools/sandbox";
import { ConfigurationError } from "../errors.ts";
import { checkOptions, type OptionKinds } from "../option_kinds.ts";
import { baseUrl } from "../options.ts";
import { printable } from "../printable.ts";
import {
  type Client,
  type ListedTool,
  loadClient,
  loadHttp,
  loadStdio,
  type Transport,
} from "./protocol_library.ts";
import { McpServerError } from "./server_error.ts";
import type { McpHttpServer, McpServer, McpStdioServer } from "./server_settings.ts";
import type { StdioTransport } from "./stdio_transport.ts";

/** A connection to a server. */
export interface Connection {
  /** Name of the server. */
  readonly server: string;
  /** Calls it. */
  readonly client: Client;
  /** Its tools. */
  readonly tools: readonly ListedTool[];
  /** Ends the connection, and a process with all that it has started. */
  close(): Promise<void>;
}

/** Most tools of one server: more would fill every prompt. */
const MAX_TOOLS = 512;

const STDIO: OptionKinds<McpStdioServer> = {
  ...{ command: "path", args: "texts", env: "record", cwd: "path", onStderr: "function" },
};
const HTTP: OptionKinds<McpHttpServer> = {
  ...{ url: "text", headers: "record", fetch: "function" },
};

/**
 * Checks a server's settings.
 *
 * @throws {ConfigurationError} They cannot be used.
 */
export function checkServer(name: string, server: McpServer): void {
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(name)) {
    throw new ConfigurationError(
      `Cannot name an MCP server ${JSON.stringify(name)}: use 1 to 32 of A-Z a-z 0-9 _ -`,
    );
  }
  const of = `the MCP server "${name}"`;
  if (isHttp(server)) {
    checkOptions(server, HTTP, { of });
    // A query is part of some servers' addresses.
    baseUrl(String(server.url).replace(/\?[^#]*/, ""), `the url of ${of}`);
    return;
  }
  checkOptions(server, STDIO, { of });
  if (server.command === undefined) {
    throw new ConfigurationError(`Cannot use ${of}: give a command, or a url`);
  }
}

function isHttp(server: McpServer): server is McpHttpServer {
  return "url" in Object(server);
}

/** Connects to a server and lists its tools. Rejects with a `McpServerError`. */
export async function connect(
  name: string,
  { server, timeoutMs }: { readonly server: McpServer; readonly timeoutMs: number },
): Promise<Connection> {
  // With the first server only: the library is large.
  const { Client } = await loadClient();
  const client = new Client({ name: "svc-sdk", version: "0.1" });
  const { transport, end, complaint } = await transportTo(name, server);
  const close = async () => {
    const timer = new AbortController();
    const patience = delay(GRACE_MS, undefined, { signal: timer.signal });
    await Promise.race([end(), patience]).catch(() => {});
    timer.abort();
    // It ends a request that is still under way, too.
    await client.close();
    await patience.catch(() => {});
  };
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  try {
    const options = { signal: late.signal, timeout: timeoutMs };
    const connecting = client.connect(transport, options);
    await Promise.race([connecting, rejectedBy(late.signal)]);
    return { server: name, client, close, tools: await toolsOf(client, options) };
  } catch (cause) {
    await close();
    if (cause instanceof McpServerError) throw cause;
    const reason = late.signal.aborted
      ? `it did not answer within ${timeoutMs} ms`
      : cause instanceof Error
      ? printable(cause.message)
      : "it failed";
    const lastWords = complaint() === "" ? "" : `; it wrote: ${complaint()}`;
    throw new McpServerError(`Cannot use the MCP server "${name}": ${reason}${lastWords}`, {
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** A way to a server. */
interface Route {
  readonly transport: Transport;
  /** Ends the session, before the connection is closed. */
  end(): Promise<void>;
  /** Returns the last words of a process. */
  complaint(): string;
}

async function transportTo(name: string, server: McpServer): Promise<Route> {
  if (isHttp(server)) {
    const { StreamableHTTPClientTransport } = await loadHttp();
    const { fetch = globalThis.fetch, headers = {}, url } = server;
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { ...headers } },
      fetch: async (input, init) =>
        await unredirected(name, await fetch(input, { ...init, redirect: "manual" })),
    });
    return { transport, end: () => transport.terminateSession(), complaint: () => "" };
  }
  const { ReadBuffer, serializeMessage } = await loadStdio();
  const { StdioTransport } = await import("./stdio_transport.ts");
  const framing = { buffer: new ReadBuffer(), serialize: serializeMessage };
  const transport: StdioTransport = new StdioTransport(server, framing);
  return { transport, end: () => Promise.resolve(), complaint: () => transport.complaint };
}

/** Following a redirect could send the headers, which may be secrets, and inputs to another host. */
async function unredirected(name: string, response: Response): Promise<Response> {
  const { status, type } = response;
  if (type !== "opaqueredirect" && (status < 300 || status > 399)) return response;
  await response.body?.cancel();
  throw new McpServerError(
    `Cannot use the MCP server "${name}": it redirects to another address: give that one as its url`,
  );
}

async function toolsOf(
  client: Client,
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<readonly ListedTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const all: ListedTool[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor }, options);
    all.push(...page.tools);
    if (all.length > MAX_TOOLS) throw new Error(`it has more than ${MAX_TOOLS} tools`);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}
