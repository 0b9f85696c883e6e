/** What a command has of the process that it is called in. */
export interface ProcessIo {
  /** Looks an environment variable up; one that may not be read counts as absent. */
  env(name: string): string | undefined;
  /** Names of all variables; none where the process may not list them. */
  names(): readonly string[];
  /** Writes to standard output as it is. */
  print(text: string): void;
  /** Writes to standard error as it is. */
  complain(text: string): void;
}
