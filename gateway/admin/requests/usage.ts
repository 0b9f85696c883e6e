import type { AnswerOf, CheckedQueryOf } from "../../admin_api/operations.ts";
import { AUDIT_KEY_ID, AUDIT_KEY_NAME } from "../../domain/policy/key.ts";
import type { AdminDeps } from "../deps.ts";
import { UsageSums } from "./usage_sums.ts";

/** Returns tokens and credits, summed from the journal. */
export async function usageJson(
  { by, since, until }: CheckedQueryOf<"GET /usage">,
  deps: AdminDeps,
): Promise<AnswerOf<"GET /usage">> {
  const sums = new UsageSums(by);
  for await (const entry of deps.ledger.entries(since === undefined ? {} : { sinceMs: since })) {
    if (entry.op === "settle" && entry.at >= (since ?? 0) && entry.at <= (until ?? Infinity)) {
      sums.add(entry);
    }
  }
  const names = by === "key" ? await keyNames(deps) : new Map<string, string>();
  const usage = sums.rows().map(({ group, ...sum }) => {
    if (by === "day") return { day: group, ...sum };
    if (by === "model") return { model: group, ...sum };
    const name = names.get(group);
    return { key: group, ...name === undefined ? {} : { name }, ...sum };
  });
  return { by, usage };
}

async function keyNames(deps: AdminDeps): Promise<Map<string, string>> {
  const names = new Map((await deps.keys.list()).map((key) => [key.id, key.name]));
  return names.set(AUDIT_KEY_ID, AUDIT_KEY_NAME);
}
