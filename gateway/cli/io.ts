import type { OutputFile } from "./output/output_file.ts";

/** Address and token of the operator's API. */
export interface Credentials {
  readonly url: string;
  readonly token: string;
}

/** Starts a server; resolves once it listens. */
export type Listen = (server: {
  readonly hostname: string;
  /** 0: any free one. */
  readonly port: number;
  readonly handler: (request: Request) => Promise<Response>;
}) => Promise<{
  readonly port: number;
  /** Resolves when the server has ended. */
  readonly finished: Promise<void>;
}>;

/** Access of the command line to its environment. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns any readable environment variable. @default {those of `env`} */
  readonly lookup?: ((name: string) => string | undefined) | undefined;
  /** @default {a server of this process} */
  readonly listen?: Listen | undefined;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /**
   * Writes to standard output without changes: the text contains its line ends. Throws an
   * {@linkcode OutputClosed} when the reader has closed it.
   */
  stdout(text: string): void;
  /** Writes to standard error without changes. */
  stderr(text: string): void;
  /** Reads a file as text; rejects when it is unreadable. */
  readFile(path: string): Promise<string>;
  /** Reads a file as bytes; rejects when it is unreadable. */
  readBytes(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Begins a file that appears once it is complete; rejects when the name exists. */
  createFile(path: string, options: { force: boolean }): Promise<OutputFile>;
  /** True when standard input and output belong to a person. */
  readonly isTerminal: boolean;
  /** Width of the terminal. */
  readonly columns: number;
  /** Width of the terminal at standard error; absent without one. */
  readonly progressColumns?: number | undefined;
  /** Asks a yes-no question; called on a terminal only. */
  confirm(question: string): Promise<boolean>;
  /**
   * Reads a secret from standard input: typed without echo on a terminal, else the whole input.
   * Never an argument, which all users of the machine can see.
   */
  readSecret(question: string): Promise<string>;
  /** Reads the credentials that the first start left beside the store, if readable. */
  readCredentials(): Promise<Credentials | undefined>;
}
