import type { Call } from "../command.ts";

const LOCAL = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?))?$/;

/** Returns `--since` and `--until` in the form of the API. */
export function timeRange(
  call: Pick<Call, "option">,
): { since: string | undefined; until: string | undefined } {
  return { since: zoned(call.option("since")), until: zoned(call.option("until")) };
}

/** Converts a time without a zone from local time, as tables show it. */
function zoned(text: string | undefined): string | undefined {
  const [, day, hour = "00:00"] = LOCAL.exec(text ?? "") ?? [];
  const time = new Date(`${day}T${hour}`);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}
