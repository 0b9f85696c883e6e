import { isJsonObject } from "@svc/sdk/protocol";
import type { AnswerOf } from "./operations.ts";

type Entry = AnswerOf<"GET /audit">["entries"][number];

/**
 * Returns what an entry of the audit log says of its change, for people: the states with an arrow
 * between them and the note that was given, else the values that were asked with.
 */
export function auditChange({ before, after, remark, values }: Entry, arrow: string): string {
  if (remark !== null) return remark;
  if (before === null && after === null) return values === null ? "" : JSON.stringify(values);
  const note = isJsonObject(values) ? values["note"] : undefined;
  const noted = typeof note === "string" ? ` (${note})` : "";
  return `${JSON.stringify(before)} ${arrow} ${JSON.stringify(after)}${noted}`;
}
