import type { AnswerOf } from "../../../admin_api/operations.ts";
import type { Call, Output } from "../../command.ts";
import { textOf, timeText } from "../../output/field_text.ts";
import { readJson } from "../../input/json_file.ts";
import { facts } from "../../output/table.ts";

/** A key as any operation on it answers; its spend only where one key is shown. */
type Key =
  & AnswerOf<"POST /keys/{id}/narrow">
  & Partial<Pick<AnswerOf<"GET /keys/{id}">, "spend" | "embeddings">>;

/** Reads the policy in the file of `--policy`. */
export async function policyOf(call: Call): Promise<unknown> {
  const path = call.option("policy");
  return path === undefined ? undefined : await readJson(call.io, path);
}

/** Formats a new key with its secret. */
export function newKeyOutput(json: AnswerOf<"POST /keys">): Output {
  const once = "This is the only time the key is shown: store it in your secret store now.";
  return { json, text: () => `${json.key}\n\n${once}\n\n${keyText(json)}` };
}

/** Formats the present state of a key. */
export function keyOutput(json: Key): Output {
  return { json, text: () => keyText(json) };
}

function keyText(key: Key): string {
  const { embeddings, spend } = key;
  const optional: readonly (readonly [string, string])[] = [
    ["last used", timeText(key.lastUsedAt)],
    ["content log", key.logContent ? "on" : ""],
    ["rotated from", key.rotatedFrom ?? ""],
    ["embeddings", embeddings ? pinText(embeddings) : ""],
    ["held", spend?.held ?? ""],
    ["spent today", spend?.day ?? ""],
    ["this month", spend?.month ?? ""],
    ["in total", spend?.total ?? ""],
  ];
  const policy = Object.entries(key.policy);
  return facts([
    ["key", key.id],
    ["name", key.name],
    ["wallet", key.wallet],
    ["status", key.status],
    ["begins", key.hint],
    ["created", timeText(key.createdAt)],
    ...optional.filter(([, value]) => value !== ""),
    ...policy.length === 0 ? [["policy", "no restrictions"] as const] : [],
    ...policy.map(([field, value]) => [field, textOf(value)] as const),
  ]);
}

type Pin = AnswerOf<"GET /keys/{id}">["embeddings"];

/** Formats the embedding model of a key after a change. */
export function pinOutput(json: AnswerOf<"POST /keys/{id}/embedding-model">): Output {
  const { embeddings } = json;
  const text = embeddings === null ? "none, the next call pins one" : pinText(embeddings);
  return { json, text: () => facts([["key", json.id], ["embeddings", text]]) };
}

function pinText({ model, dimensions, source, since }: NonNullable<Pin>): string {
  const length = dimensions === null ? "dimensions not known yet" : `${dimensions} dimensions`;
  const time = since === null ? "" : ` since ${timeText(since)}`;
  return `${model}, ${length}, pinned by ${PINNED_BY[source]}${time}`;
}

const PINNED_BY = {
  first_call: "the first call",
  policy: "the policy",
  operator: "an operator",
} as const;
