/**
 * What the provider packages do not read of an answer, read out of the provider's own words.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import type { JSONObject, JSONValue } from "@ai-sdk/provider";
import type { NativeKind } from "../../domain/catalog/catalog.ts";

/** Members of a message, or of a delta of one, in Chat's shape. */
export interface Unread {
  readonly refusal?: string;
  readonly annotations?: JSONValue[];
  readonly reasoning_content?: string;
}

/** Kinds whose package must hand its provider's words over. */
const READERS: Readonly<Partial<Record<NativeKind, (answer: JSONObject) => Unread>>> = {
  azure: ({ choices }) => {
    const choice = Array.isArray(choices) ? choices[0] : undefined;
    const said = objectIn(choice, "message") ?? objectIn(choice, "delta") ?? {};
    const { annotations, refusal } = said;
    return {
      ...(typeof refusal === "string" && refusal !== "" ? { refusal } : {}),
      ...(Array.isArray(annotations) && annotations.length > 0 ? { annotations } : {}),
    };
  },
  cohere: ({ message, delta }) => {
    const plan = (objectIn({ message }, "message") ?? objectIn(delta, "message"))?.["tool_plan"];
    return typeof plan === "string" && plan !== "" ? { reasoning_content: plan } : {};
  },
};

/** Whether a kind's package leaves anything unread. */
export function leavesUnread(kind: NativeKind): boolean {
  return READERS[kind] !== undefined;
}

/** What the package of a kind has not read of an answer, or of an event of one. */
export function unreadIn(kind: NativeKind, answer: unknown): Unread {
  return isProviderObject(answer) ? READERS[kind]?.(answer) ?? {} : {};
}

/** Parts of an answer that frame others, or come as something else as well. */
const FRAMES: ReadonlySet<string> = new Set(["tool-input-end"]);

/** A line on a part of an answer that Chat has no place for; `undefined` where it is carried. */
export function leftOutPart(kind: NativeKind, type: string): string | undefined {
  // Azure's sources are its annotations.
  if (FRAMES.has(type) || (kind === "azure" && type === "source")) return undefined;
  return `parts of type "${type}" of the provider's answer were left out`;
}

function objectIn(value: JSONValue | undefined, name: string): JSONObject | undefined {
  const member = isProviderObject(value) ? value[name] : undefined;
  return isProviderObject(member) ? member : undefined;
}

/** True for an object of a parsed answer: what came out of JSON holds JSON. */
function isProviderObject(value: unknown): value is JSONObject {
  return isJsonObject(value);
}
