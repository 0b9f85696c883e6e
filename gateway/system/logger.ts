import type { Clock } from "../ports/clock.ts";
import type { LogFields, Logger } from "../ports/logger.ts";

/** A level of the log. */
export type LogLevel = "info" | "warn" | "error";

/** What a line is known by besides its text. */
export interface WrittenLine {
  readonly level: LogLevel;
  readonly event: string;
  /** Of the request that it tells of, where it tells of one. */
  readonly requestId: string | undefined;
}

/** Where lines go, and what is done to them before. */
export interface JsonLoggerOptions {
  readonly clock: Clock;
  /** Takes a line, without its end. */
  readonly write: (line: string, about: WrittenLine) => void;
  /** Takes secrets out of a text. */
  readonly removeSecrets: (text: string) => string;
  /** Fields for the lines of a request, such as the ids of its trace. @default {none} */
  readonly fieldsOf?: ((requestId: string) => LogFields | undefined) | undefined;
}

/** Writes one JSON object a line, without secrets. */
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
