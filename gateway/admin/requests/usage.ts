import type { AnswerOf, CheckedQueryOf } from "../../admin_api/operations.ts";
import { AUDIT_KEY_ID, AUDIT_KEY_NAME } from "../../domain/policy/key.ts";
import type { AdminDeps } from "../deps.ts";
import { pageOf } from "../paging.ts";
import { UsageSums } from "./usage_sums.ts";

/** Returns tokens and credits, summed from the journal. */
export async function usageJson(
  { by, since, until, ...page }: CheckedQueryOf<"GET /usage">,
  deps: AdminDeps,
): Promise<AnswerOf<"GET /usage">> {
  const sums = new UsageSums(by);
  for await (const entry of deps.ledger.entries(since === undefined ? {} : { sinceMs: since })) {
    if (entry.op === "settle" && entry.at >= (since ?? 0) && entry.at <= (until ?? Infinity)) {
      sums.add(entry);
    }
  }
  const { rows, cursor } = pageOf(sums.rows(), page);
  const names = by === "key"
    ? await keyNames(rows.map(({ group }) => group), deps)
    : new Map<string, string>();
  const usage = rows.map(({ group, ...sum }) => {
    if (by === "day") return { day: group, ...sum };
    if (by === "model") return { model: group, ...sum };
    const name = names.get(group);
    return { key: group, ...name === undefined ? {} : { name }, ...sum };
  });
  return { by, usage, cursor };
}

async function keyNames(ids: readonly string[], { keys }: AdminDeps): Promise<Map<string, string>> {
  const stored = await Promise.all(ids.map((id) => keys.getStored(id)));
  const names = stored.flatMap((key) =>
    key === undefined ? [] : [[key.record.id, key.record.name] as const]
  );
  return new Map(names).set(AUDIT_KEY_ID, AUDIT_KEY_NAME);
}
