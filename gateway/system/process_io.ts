/** Access of a command to its process. */
export interface ProcessIo {
  /** Returns an environment variable; one that may not be read counts as absent. */
  env(name: string): string | undefined;
  /** Returns the names of all variables; none when the process may not list them. */
  names(): readonly string[];
  /** Writes to standard output without changes. */
  print(text: string): void;
  /** Writes to standard error without changes. */
  complain(text: string): void;
}
