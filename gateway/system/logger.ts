import type { Clock } from "../ports/clock.ts";
import type { LogFields, Logger } from "../ports/logger.ts";

/** A level of the log. */
export type LogLevel = "info" | "warn" | "error";

/** Attributes of a line besides its text. */
export interface WrittenLine {
  readonly level: LogLevel;
  readonly event: string;
  /** Id of the request that the line is about, if any. */
  readonly requestId: string | undefined;
}

/** Output and processing of lines. */
export interface JsonLoggerOptions {
  readonly clock: Clock;
  /** Receives a line, without its end. */
  readonly write: (line: string, about: WrittenLine) => void;
  /** Removes secrets from a text. */
  readonly removeSecrets: (text: string) => string;
  /** Fields for the lines of a request, such as the ids of its trace. @default {none} */
  readonly fieldsOf?: ((requestId: string) => LogFields | undefined) | undefined;
}

/** Creates a logger that writes one JSON object per line, without secrets. */
export function createJsonLogger(
  { clock, write, removeSecrets, fieldsOf }: JsonLoggerOptions,
): Logger {
  const log = (level: LogLevel) => (event: string, fields: LogFields = {}) => {
    const time = new Date(clock.nowMs()).toISOString();
    const requestId = typeof fields.requestId === "string" ? fields.requestId : undefined;
    const more = requestId === undefined ? undefined : fieldsOf?.(requestId);
    const line = JSON.stringify({ time, level, event, ...fields, ...more }, (_name, value) => {
      return typeof value === "string" ? removeSecrets(value) : value;
    });
    write(line, { level, event, requestId });
  };
  return { info: log("info"), warn: log("warn"), error: log("error") };
}
