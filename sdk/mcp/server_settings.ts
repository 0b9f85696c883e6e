/** A server that is started as a process, and ends with the tools. */
export interface McpStdioServer {
  /** The program. */
  readonly command: string;
  /** Its arguments. @default {[]} */
  readonly args?: readonly string[] | undefined;
  /**
   * Its environment, beside `PATH`, `HOME` and the like. No other variable of this process is handed
   * on. @default {{}}
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Its working directory. @default {"."} */
  readonly cwd?: string | undefined;
  /** Receives what it writes to standard error, in pieces. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

/** A server at an address, over streamable HTTP. A redirect is an error: headers go nowhere else. */
export interface McpHttpServer {
  /** Its http(s) address. */
  readonly url: string;
  /** Headers of every request, for instance with a key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sends the requests. @default {globalThis.fetch} */
  readonly fetch?: typeof fetch | undefined;
}

/** A server of the Model Context Protocol. */
export type McpServer = McpStdioServer | McpHttpServer;
