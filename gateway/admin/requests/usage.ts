import type { AnswerOf, CheckedQueryOf } from "../../admin_api/operations.ts";
import { AUDIT_KEY_ID, AUDIT_KEY_NAME } from "../../domain/policy/key.ts";
import type { AdminDeps } from "../deps.ts";
import { pageOf } from "../paging.ts";
import { usageRowJson, UsageSums } from "./usage_sums.ts";

/** Returns tokens and credits, summed from the journal. */
export async function usageJson(
  { by, tag, user, since, until, ...page }: CheckedQueryOf<"GET /usage">,
  deps: AdminDeps,
): Promise<AnswerOf<"GET /usage">> {
  const sums = new UsageSums(by, { tag, user });
  for await (const entry of deps.ledger.entries({ sinceMs: since, untilMs: until })) {
    if (entry.op === "settle") sums.add(entry);
  }
  const { rows, cursor } = pageOf(sums.rows(), page);
  const names = by === "key"
    ? await keyNames(rows.map(({ group }) => group), deps)
    : new Map<string, string>();
  const usage = rows.map((row) => {
    if (by !== "key") return usageRowJson(by, row);
    const { group, kind: _kind, ...sum } = row;
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
