/**
 * The library of the protocol: its types, and its parts, each loaded when it is first used.
 *
 * Types are imported by names without `.js`, since the package declares them for these alone; code is
 * imported by names with it, which are the files.
 *
 * @module
 */

import type { Client } from "@modelcontextprotocol/sdk/client";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp";
import type { ReadBuffer, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio";

export type { Client } from "@modelcontextprotocol/sdk/client";
export type { ReadBuffer } from "@modelcontextprotocol/sdk/shared/stdio";
export type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
export type { JSONRPCMessage, Tool as ListedTool } from "@modelcontextprotocol/sdk/types";

/** The client. */
interface ClientModule {
  readonly Client: typeof Client;
}

/** The transport over HTTP. */
interface HttpModule {
  readonly StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport;
}

/** Messages as lines. */
interface StdioModule {
  readonly ReadBuffer: typeof ReadBuffer;
  readonly serializeMessage: typeof serializeMessage;
}

/** Loads the client. */
export function loadClient(): Promise<ClientModule> {
  return import("@modelcontextprotocol/sdk/client/index.js");
}

/** Loads the transport over HTTP. */
export function loadHttp(): Promise<HttpModule> {
  return import("@modelcontextprotocol/sdk/client/streamableHttp.js");
}

/** Loads the framing of messages as lines. */
export function loadStdio(): Promise<StdioModule> {
  return import("@modelcontextprotocol/sdk/shared/stdio.js");
}
