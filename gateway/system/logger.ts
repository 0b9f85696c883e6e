import type { Clock } from "../ports/clock.ts";
import type { LogFields, Logger } from "../ports/logger.ts";

/** Writes one JSON object a line through `write`. */
export function createJsonLogger(clock: Clock, write: (line: string) => void): Logger {
  const log = (level: string) => (event: string, fields: LogFields = {}) => {
    const time = new Date(clock.nowMs()).toISOString();
    write(JSON.stringify({ time, level, event, ...fields }));
  };
  return { info: log("info"), warn: log("warn"), error: log("error") };
}
