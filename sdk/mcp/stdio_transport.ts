import { type ChildGroup, startGroup } from "@svc/tools/sandbox";
import { readEnvironment } from "../options.ts";
import { printable } from "../printable.ts";
import type { JSONRPCMessage, ReadBuffer, Transport } from "./protocol_library.ts";
import type { McpStdioServer } from "./server_settings.ts";

/** Variables that every server receives: none that could be a secret. */
const INHERITED = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];
/** Characters kept of the end of what a server writes to standard error. */
const KEPT_CHARS = 500;

/** Frames of messages, from the protocol's own library. */
export interface Framing {
  /** Collects messages that arrive in pieces. */
  readonly buffer: ReadBuffer;
  /** Writes a message as a line. */
  readonly serialize: (message: JSONRPCMessage) => string;
}

/**
 * A server as a process, over its standard input and output. The library's own transport starts no
 * process group, so that what a server starts would outlive it: `npx` is such a server.
 */
export class StdioTransport implements Transport {
  /** Called when the process has ended. */
  onclose?: () => void;
  /** Called with a message that is none. */
  onerror?: (error: Error) => void;
  /** Called with each message. */
  onmessage?: Transport["onmessage"];
  readonly #server: McpStdioServer;
  readonly #framing: Framing;
  #group: ChildGroup | undefined;
  #complaint = "";

  /** Starts nothing. */
  constructor(server: McpStdioServer, framing: Framing) {
    this.#server = server;
    this.#framing = framing;
  }

  /** The end of what the server wrote to standard error, in one line. */
  get complaint(): string {
    return printable(this.#complaint).replaceAll(/\s+/g, " ").trim();
  }

  /** Starts the process. */
  async start(): Promise<void> {
    const { args = [], command: file, cwd = ".", env = {} } = this.#server;
    const group = await startGroup({ file, args, cwd, env: { ...inherited(), ...env } });
    this.#group = group;
    group.stdout.on("data", (bytes) => this.#receive(bytes));
    group.stderr.setEncoding("utf8").on("data", (text) => {
      this.#complaint = `${this.#complaint}${text}`.slice(-KEPT_CHARS);
      this.#server.onStderr?.(text);
    });
    void group.ended.then(() => this.onclose?.());
  }

  /** Sends a message; resolves when the process can take the next one. */
  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#group?.stdin;
    if (stdin === undefined || stdin.destroyed) {
      return Promise.reject(new Error("The server has ended"));
    }
    return new Promise((resolve, reject) => {
      stdin.write(this.#framing.serialize(message), (error) => error ? reject(error) : resolve());
    });
  }

  /** Ends the process and everything that it has started. */
  async close(): Promise<void> {
    await this.#group?.close();
    this.#framing.buffer.clear();
  }

  #receive(bytes: Parameters<ReadBuffer["append"]>[0]): void {
    const { buffer } = this.#framing;
    try {
      buffer.append(bytes);
    } catch (error) {
      // A message without an end: nothing after it can be read.
      this.#report(error);
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // The line is taken off; the next one is read.
        this.#report(error);
      }
    }
  }

  #report(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error("Cannot read a message"));
  }
}

function inherited(): Record<string, string> {
  return Object.fromEntries(INHERITED.flatMap((name) => {
    const value = readEnvironment(name);
    return value === undefined ? [] : [[name, value]];
  }));
}
