import type { JSONObject, JSONValue } from "@ai-sdk/provider";
import { isRecord } from "../openai_compatible/body.ts";

/** Returns a member of a parsed JSON value, if the value is an object and the member is one too. */
export function objectMember(value: JSONValue | undefined, name: string): JSONObject | undefined {
  const member = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(member) ? member : undefined;
}

/** True for an object. Members of parsed JSON are JSON values themselves. */
export function isJsonObject(value: unknown): value is JSONObject {
  return isRecord(value);
}
