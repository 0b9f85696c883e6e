import type { AnswerOf } from "../../admin_api/operations.ts";
import type { TrailEntry } from "../../domain/operators/trail.ts";
import { brokenPlace } from "../../system/trail_check.ts";
import type { TrailStore } from "../../ports/trail_store.ts";
import type { AdminDeps } from "../deps.ts";
import { isoTime } from "../json_values.ts";
import { jsonLine, ndjson } from "../ndjson.ts";
import type { Handlers } from "../routes.ts";

const CURSOR = /^a\.(\d{1,15})$/;
/** Entries that are read at once. */
const BATCH = 200;

/** Handlers of the audit log. */
export function auditHandlers(deps: AdminDeps) {
  const { trailStore } = deps;
  return {
    "GET /audit": async ({ query }) => {
      const { since, until, limit, cursor, ...filter } = query();
      const before = cursor === undefined ? undefined : Number(CURSOR.exec(cursor)?.[1] ?? 1);
      const page = await trailStore.page({
        ...{ ...filter, sinceMs: since, untilMs: until, limit, before },
      });
      return {
        entries: page.entries.map(entryJson),
        cursor: page.before === undefined ? null : `a.${page.before}`,
      };
    },
    "GET /audit/verify": async () => {
      const { problem, head } = await brokenPlace(trailStore);
      return { ok: problem === undefined, ...head, problem: problem ?? null };
    },
    "GET /audit/export": ({ context }) => ndjson(context, deps, exportLines(trailStore)),
  } satisfies Partial<Handlers>;
}

async function* exportLines(trail: TrailStore): AsyncGenerator<string, void> {
  const end = await trail.head();
  for (let from = 1; from <= end.place; from += BATCH) {
    const entries = await trail.read(from, Math.min(BATCH, end.place - from + 1));
    yield entries.map(({ line, hash }) => jsonLine({ hash, entry: JSON.parse(line) })).join("");
  }
  yield jsonLine({ end: { entries: end.place, head: end.hash } });
}

function entryJson(entry: TrailEntry): AnswerOf<"GET /audit">["entries"][number] {
  const { place, atMs, author, action, stage, subject, of, values, before, after, remark } = entry;
  const { kind, id, name, address, requestId } = author;
  return {
    ...{ place, at: isoTime(atMs), who: { kind, id, name }, address, requestId, action, stage },
    ...{ subject, of: of ?? null, values: values ?? null },
    ...{ before: before ?? null, after: after ?? null, remark: remark ?? null },
  };
}
