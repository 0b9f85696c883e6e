import type { OutputFile } from "./output/output_file.ts";

/** Where the operator's API is and how to be let in. */
export interface Credentials {
  readonly url: string;
  readonly token: string;
}

/** The world as the command line sees it. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Any variable of the environment that may be read. @default {those of `env`} */
  readonly lookup?: ((name: string) => string | undefined) | undefined;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /**
   * Writes to standard output as it is: the text brings its line ends. Throws a
   * {@linkcode OutputClosed} where nobody reads any more.
   */
  stdout(text: string): void;
  /** Writes to standard error as it is. */
  stderr(text: string): void;
  /** Text of a file; rejects where it cannot be read. */
  readFile(path: string): Promise<string>;
  /** Bytes of a file; rejects where it cannot be read. */
  readBytes(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Begins a file that is there once it is complete; rejects where the name is taken. */
  createFile(path: string, options: { force: boolean }): Promise<OutputFile>;
  /** Standard input and output belong to a person. */
  readonly isTerminal: boolean;
  /** Width of the terminal. */
  readonly columns: number;
  /** Width of the terminal that standard error is; absent where it is none. */
  readonly progressColumns?: number | undefined;
  /** Asks a yes-no question; called on a terminal only. */
  confirm(question: string): Promise<boolean>;
  /**
   * A secret from standard input: typed without being shown on a terminal, else the whole input.
   * Never an argument, which everybody on the machine can see.
   */
  readSecret(question: string): Promise<string>;
  /** What the first start left beside the store, where it can be read. */
  readCredentials(): Promise<Credentials | undefined>;
}
