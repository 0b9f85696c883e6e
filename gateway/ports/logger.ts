/** Fields of a log line. Never a key, a prompt or an answer. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** A structured log for the operator: one line per event. */
export interface Logger {
  info(event: string, fields?: LogFields): void;
  /** Logs something that the operator should look at. */
  warn(event: string, fields?: LogFields): void;
  /** Logs a fault of the service itself. */
  error(event: string, fields?: LogFields & { readonly cause?: string }): void;
}
