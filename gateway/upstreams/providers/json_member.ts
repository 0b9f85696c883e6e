import { isJsonObject } from "@svc/sdk/protocol";
import type { JSONObject, JSONValue } from "@ai-sdk/provider";

/** Returns a member of a parsed JSON value, if the value is an object and the member is one too. */
export function objectMember(value: JSONValue | undefined, name: string): JSONObject | undefined {
  const member = isAnswerObject(value) ? value[name] : undefined;
  return isAnswerObject(member) ? member : undefined;
}

/** True for an object. Members of parsed JSON are JSON values themselves. */
export function isAnswerObject(value: unknown): value is JSONObject {
  return isJsonObject(value);
}
