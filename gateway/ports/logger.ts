/** Fields of a log line. Never a key, a prompt or an answer. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Structured log for the operator: one event, one line. */
export interface Logger {
  info(event: string, fields?: LogFields): void;
  /** Something the operator should look at. */
  warn(event: string, fields?: LogFields): void;
  /** A fault of the service itself. */
  error(event: string, fields?: LogFields & { readonly cause?: string }): void;
}
