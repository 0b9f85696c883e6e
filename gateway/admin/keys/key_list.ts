import type { AnswerOf, CheckedQueryOf } from "../../admin_api/operations.ts";
import { KEY_SORTS, SORTED_MAX } from "../../admin_api/sorts.ts";
import { KEY_STATES, type KeyRecord, stateOf } from "../../domain/policy/key.ts";
import { versionOf } from "../../flows/keys/peppers.ts";
import type { KeyQuery, StoredKey } from "../../ports/key_store.ts";
import type { AdminDeps } from "../deps.ts";
import { pageOf, requireSortable, sortedBy } from "../paging.ts";
import { keyJson } from "./key_json.ts";

type Query = CheckedQueryOf<"GET /keys">;

/** Returns a page of the keys that a query selects. */
export async function keyListJson(query: Query, deps: AdminDeps): Promise<AnswerOf<"GET /keys">> {
  const [{ keys, cursor }, underPreviousPepper = null] = await Promise.all([
    selected(query, deps),
    query.cursor === undefined ? deps.pepperBook.keysOfPrevious() : undefined,
  ]);
  return {
    keys: keys.map(({ record, digest }) => ({
      ...keyJson(record),
      pepper: versionOf(digest),
    })),
    cursor,
    total: deps.keys.count(),
    // Shows at a glance whether the previous pepper can be dropped.
    underPreviousPepper,
  };
}

/** A page of keys; the cursor is `null` on the last. */
interface Selected {
  readonly keys: readonly StoredKey[];
  readonly cursor: string | null;
}

async function selected(query: Query, deps: AdminDeps): Promise<Selected> {
  const { limit, cursor, sort, ids, rotatedFrom } = query;
  const filter = filterOf(query, deps.clock.nowMs());
  if (ids !== undefined) return await keysOf(ids.split(","), deps, filter);
  if (rotatedFrom !== undefined) return await copiesOf(rotatedFrom, deps, query);
  if (sort === "created" || sort === "-created") {
    const page = await deps.keys.page({
      ...filter,
      limit,
      cursor,
      oldestFirst: sort === "created",
    });
    return { keys: page.keys, cursor: page.cursor ?? null };
  }
  requireSortable("keys", deps.keys.count(), "-created");
  const all = await allKeys(deps, filter);
  const field = KEY_SORTS.find((name) => sort.endsWith(name)) ?? "name";
  const key = sortKeyOf(field, deps.clock.nowMs());
  const { rows, cursor: next } = pageOf(
    sortedBy(all, ({ record }) => key(record), sort.startsWith("-")),
    { limit, cursor },
  );
  return { keys: rows, cursor: next };
}

function filterOf(
  { q, wallet, state }: Query,
  nowMs: number,
): Pick<KeyQuery, "text" | "walletId" | "accepts"> {
  const accepts = (record: KeyRecord) => stateOf(record, nowMs) === state;
  return { text: q, walletId: wallet, ...state === undefined ? {} : { accepts } };
}

async function keysOf(
  ids: readonly string[],
  { keys }: AdminDeps,
  { accepts = () => true }: Pick<KeyQuery, "accepts">,
): Promise<Selected> {
  const stored = await Promise.all(ids.map((id) => keys.getStored(id)));
  return {
    keys: stored.filter((key) => key !== undefined && accepts(key.record)).flatMap((key) =>
      key ?? []
    ),
    cursor: null,
  };
}

async function copiesOf(
  id: string,
  { keys, clock }: AdminDeps,
  query: Query,
): Promise<Selected> {
  const { accepts = () => true } = filterOf(query, clock.nowMs());
  const copies: StoredKey[] = [];
  for await (const record of keys.copiesOf(id)) {
    const copy = accepts(record) ? await keys.getStored(record.id) : undefined;
    if (copy !== undefined) copies.push(copy);
  }
  const { rows, cursor } = pageOf(copies, query);
  return { keys: rows, cursor };
}

/** Returns all keys that a query selects, newest first. */
async function allKeys(
  { keys }: AdminDeps,
  filter: Pick<KeyQuery, "text" | "walletId" | "accepts">,
): Promise<StoredKey[]> {
  const all: StoredKey[] = [];
  let cursor: string | undefined;
  do {
    const page = await keys.page({ ...filter, limit: SORTED_MAX, cursor });
    all.push(...page.keys);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return all;
}

function sortKeyOf(
  field: (typeof KEY_SORTS)[number],
  nowMs: number,
): (record: KeyRecord) => string | number {
  switch (field) {
    case "created":
      return ({ createdAtMs }) => createdAtMs;
    case "name":
      return ({ name }) => name;
    case "wallet":
      return ({ walletId }) => walletId;
    case "state":
      return (record) => KEY_STATES.indexOf(stateOf(record, nowMs));
    case "used":
      return ({ lastUsedAtMs }) => lastUsedAtMs ?? 0;
  }
}
