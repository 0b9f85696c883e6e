import type { Call, Output } from "../../command.ts";
import { type Row, rowOf, textOf, timeOf } from "../../output/json_fields.ts";
import { readJson } from "../../input/json_file.ts";
import { facts } from "../../output/table.ts";

/** Returns the path of a key, or of an action on it. */
export function pathOf(key = "", verb?: string): string {
  // A lone surrogate is part of no id and cannot be encoded in a URL.
  const path = `/keys/${encodeURIComponent(key.toWellFormed())}`;
  return verb === undefined ? path : `${path}/${verb}`;
}

/** Reads the policy in the file of `--policy`. */
export async function policyOf(call: Call): Promise<unknown> {
  const path = call.option("policy");
  return path === undefined ? undefined : await readJson(call.io, path);
}

/** Formats a new key with its secret. */
export function newKeyOutput(json: Row): Output {
  const key = textOf(json, "key");
  const once = "This is the only time the key is shown: put it into your secret store now.";
  return { json, text: () => `${key}\n\n${once}\n\n${keyText(json)}` };
}

/** Formats the present state of a key. */
export function keyOutput(json: Row): Output {
  return { json, text: () => keyText(json) };
}

function keyText(key: Row): string {
  const spend = rowOf(key, "spend");
  const optional: readonly (readonly [string, string])[] = [
    ["last used", timeOf(key, "lastUsedAt")],
    ["content log", key.logContent === true ? "on" : ""],
    ["rotated from", textOf(key, "rotatedFrom")],
    ["held", textOf(spend, "held")],
    ["spent today", textOf(spend, "day")],
    ["this month", textOf(spend, "month")],
    ["in total", textOf(spend, "total")],
  ];
  const policy = Object.entries(rowOf(key, "policy"));
  return facts([
    ["key", textOf(key, "id")],
    ["name", textOf(key, "name")],
    ["wallet", textOf(key, "wallet")],
    ["status", textOf(key, "status")],
    ["begins", textOf(key, "hint")],
    ["created", timeOf(key, "createdAt")],
    ...optional.filter(([, value]) => value !== ""),
    ...policy.length === 0 ? [["policy", "no restrictions"] as const] : [],
    ...policy.map(([field]) => [field, textOf(rowOf(key, "policy"), field)] as const),
  ]);
}
