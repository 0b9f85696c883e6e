import { ORCHESTRATION_FINAL_TASK_ID, type RoutingAttempt } from "@svc/sdk/protocol";
import type { JournalEntry } from "../../domain/ledger/ledger.ts";
import { formatCredits } from "../../domain/ledger/money.ts";
import { tagsObject } from "../../domain/requests/attribution.ts";
import { answerOf } from "../../domain/requests/parts.ts";
import type { LedgerStore } from "../../ports/ledger_store.ts";
import type { RequestRecord, TaskRecord } from "../../ports/request_log.ts";
import type { Vote } from "../../ports/vote_store.ts";
import type { AnswerOf } from "../../admin_api/operations.ts";
import { creditsOrNull, isoTime, isoTimeOrNull } from "../json_values.ts";
import { entryJson } from "../ledger/journal_json.ts";

type Detail = AnswerOf<"GET /requests/{id}">;
type Task = NonNullable<Detail["tasks"]>[number];

/** Returns a request as lists and the live tail show it, without its content. */
export function summaryJson(record: RequestRecord): AnswerOf<"GET /requests">["requests"][number] {
  return {
    id: record.id,
    requestId: record.requestId,
    at: isoTime(record.atMs),
    key: record.keyId,
    wallet: record.walletId,
    endpoint: record.endpoint,
    user: record.attribution?.user ?? null,
    safetyIdentifier: record.attribution?.safetyIdentifier ?? null,
    tags: tagsObject(record.attribution?.tags),
    stream: record.stream,
    status: record.status,
    outcome: record.outcome,
    errorCode: record.errorCode ?? null,
    model: record.routing?.model ?? null,
    provider: record.routing?.provider ?? null,
    durationMs: record.durationMs,
    firstByteMs: record.firstByteMs ?? null,
    inputTokens: record.inputTokens,
    cachedInputTokens: record.cachedInputTokens,
    outputTokens: record.outputTokens,
    estimated: record.estimated,
    charged: record.charged,
  };
}

/** Journal entries of a request. */
export interface RequestBooks {
  readonly entries: readonly JournalEntry[];
  /** True when every hold and its end were found. */
  readonly isComplete: boolean;
}

/** Reads the journal entries of a request. */
export async function booksOf(
  { id, holdIds, atMs, durationMs }: RequestRecord,
  ledger: Pick<LedgerStore, "entriesOf">,
): Promise<RequestBooks> {
  if (holdIds.length === 0) return { entries: [], isComplete: true };
  const untilMs = atMs + durationMs;
  return await ledger.entriesOf({ logId: id, holdIds, sinceMs: atMs, untilMs });
}

/** Returns everything that is known of one request. */
export function detailJson(
  record: RequestRecord,
  books: RequestBooks,
  votes: readonly Vote[],
): Detail {
  const starts = record.attemptStarts ?? [];
  const attempts = record.routing?.attempts ?? [];
  const wordsAt = (taskId: string | undefined, at: number) =>
    record.words?.find((words) => words.taskId === taskId && words.attempt === at)?.words ?? null;
  return {
    ...summaryJson(record),
    usageProblems: (record.usageProblems ?? []).map(({ model, problem }) => ({ model, problem })),
    routing: record.routing ?? null,
    scores: record.scores ?? [],
    exclusions: record.exclusions ?? [],
    attempts,
    timeline: [
      ...(record.tasks ?? []).flatMap(({ taskId, startMs, attempts }) =>
        timelineOf(attempts, { task: taskId, startMs })
          .map((attempt, at) => ({ ...attempt, words: wordsAt(taskId, at) }))
      ),
      ...attempts.map((attempt, at) => ({
        ...attemptJson(attempt),
        startMs: starts[at] ?? null,
        words: wordsAt(undefined, at),
      })),
    ],
    holds: record.holdIds,
    settlement: settlementJson(record, books),
    tasks: record.tasks === undefined ? null : tasksJson(record, record.tasks),
    feedback: votes.map(({ atMs, keyId, source, score, comment = null }) => ({
      ...{ at: isoTime(atMs), key: keyId, source, score, comment },
    })),
    content: record.content ?? null,
    isContentHidden: false,
  };
}

/**
 * Returns the attempts of a task with their start times: each begins at the end of the one before.
 */
function timelineOf(
  attempts: readonly RoutingAttempt[],
  { task, startMs }: { readonly task: string; readonly startMs: number | undefined },
): Omit<Detail["timeline"][number], "words">[] {
  let nextMs = startMs;
  return attempts.map((attempt) => {
    const attemptMs = nextMs;
    if (nextMs !== undefined) nextMs += attempt.ms;
    return { ...attemptJson(attempt), task, startMs: attemptMs ?? null };
  });
}

function attemptJson({ model, provider, outcome, status, ms }: RoutingAttempt) {
  return { task: null, model, provider, outcome, status: status ?? null, ms };
}

/** Returns the settlement of each hold, with the journal entries behind it. */
function settlementJson(
  { holdIds, charged }: RequestRecord,
  { entries, isComplete }: RequestBooks,
): Detail["settlement"] {
  return {
    charged,
    complete: isComplete,
    holds: holdIds.map((id) => holdJson(id, entries.filter((entry) => idOf(entry) === id))),
    entries: entries.filter(({ op }) => op !== "progress").map(entryJson),
  };
}

function holdJson(
  id: string,
  entries: readonly JournalEntry[],
): Detail["settlement"]["holds"][number] {
  const hold = entries.find((entry) => entry.op === "hold");
  const settled = entries.find((entry) => entry.op === "settle");
  const released = entries.find(isRelease);
  return {
    id,
    model: hold?.model ?? settled?.model ?? null,
    priceVersion: hold?.priceVersion ?? settled?.priceVersion ?? null,
    state: settled !== undefined
      ? "settled"
      : released !== undefined
      ? released.op === "void" ? "voided" : "expired"
      : hold !== undefined
      ? "open"
      : "unknown",
    held: creditsOrNull(hold?.amount ?? settled?.held ?? released?.held),
    heldAt: isoTimeOrNull(hold?.at),
    endedAt: isoTimeOrNull(settled?.at ?? released?.at),
    charged: creditsOrNull(settled?.charged),
    returned: creditsOrNull(
      settled === undefined ? released?.held : settled.held - settled.charged,
    ),
    writtenOff: creditsOrNull(settled?.writtenOff),
    estimated: settled?.estimated ?? null,
    recovered: settled?.recovered ?? false,
    reason: released?.reason ?? null,
  };
}

type Release = Extract<JournalEntry, { op: "void" | "expire" }>;

function isRelease(entry: JournalEntry): entry is Release {
  return entry.op === "void" || entry.op === "expire";
}

function idOf(entry: JournalEntry): string | undefined {
  return entry.op === "open" ? undefined : entry.id;
}

/** Returns the tasks of a split request, with its final answer as the last. */
function tasksJson(record: RequestRecord, tasks: readonly TaskRecord[]): Task[] {
  const used = new Set(tasks.flatMap(({ dependsOn }) => dependsOn));
  const { model: _model, provider: _provider, charged, durationMs, ...own } = answerOf(record);
  const answer: Task = {
    ...own,
    taskId: ORCHESTRATION_FINAL_TASK_ID,
    dependsOn: tasks.map(({ taskId }) => taskId).filter((id) => id !== "plan" && !used.has(id)),
    status: record.outcome === "ok" ? "done" : "failed",
    model: record.routing?.model ?? null,
    provider: record.routing?.provider ?? null,
    ms: durationMs,
    charged: formatCredits(charged),
    attempts: (record.routing?.attempts ?? []).map(attemptJson),
  };
  return [...tasks.map(taskJson), answer];
}

function taskJson(
  { model, provider, startMs, ms, attempts, others: _others, ...task }: TaskRecord,
): Task {
  return {
    ...task,
    model: model ?? null,
    provider: provider ?? null,
    startMs: startMs ?? null,
    ms: ms ?? null,
    attempts: attempts.map(attemptJson),
  };
}
