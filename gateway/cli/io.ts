/** Where the operator's API is and how to be let in. */
export interface Credentials {
  readonly url: string;
  readonly token: string;
}

/** The world as the command line sees it. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Writes to standard output as it is: the text brings its line ends. */
  stdout(text: string): void;
  /** Writes to standard error as it is. */
  stderr(text: string): void;
  /** Text of a file; rejects where it cannot be read. */
  readFile(path: string): Promise<string>;
  /** Bytes of a file; rejects where it cannot be read. */
  readBytes(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Standard input and output belong to a person. */
  readonly isTerminal: boolean;
  /** Width of the terminal. */
  readonly columns: number;
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

/** The command was understood and refused, or failed: exit code 1. The message is for the operator. */
export class CliFailure extends Error {
  override name = "CliFailure";
}

/** The command was not understood: exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
}
