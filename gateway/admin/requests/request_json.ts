import { ORCHESTRATION_FINAL_TASK_ID, type RoutingAttempt } from "@svc/sdk/protocol";
import type { JournalEntry } from "../../domain/ledger/ledger.ts";
import { formatCredits } from "../../domain/ledger/money.ts";
import { answerOf } from "../../domain/requests/parts.ts";
import type { RequestRecord, TaskRecord } from "../../ports/request_log.ts";
import type { Answer } from "../../admin_api/answers/answer.ts";
import type { requestSummaryAnswer } from "../../admin_api/answers/requests.ts";
import { entryJson } from "../ledger/journal_json.ts";

/** A request as lists and the live tail show it: nothing that was said. */
export function summaryJson(record: RequestRecord): Answer<typeof requestSummaryAnswer> {
  return {
    id: record.id,
    requestId: record.requestId,
    at: new Date(record.atMs).toISOString(),
    key: record.keyId,
    wallet: record.walletId,
    endpoint: record.endpoint,
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

/** What the books say of a request. */
export interface RequestBooks {
  readonly entries: readonly JournalEntry[];
  /** Every hold of it was found, and its end. */
  readonly isComplete: boolean;
}

/** Everything that is known of one request. */
export function detailJson(record: RequestRecord, books: RequestBooks): Record<string, unknown> {
  const starts = record.attemptStarts ?? [];
  const attempts = record.routing?.attempts ?? [];
  const wordsAt = (taskId: string | undefined, at: number) =>
    record.words?.find((said) => said.taskId === taskId && said.attempt === at)?.words ?? null;
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
    content: record.content ?? null,
  };
}

/** Attempts of a task follow each other from its beginning on. */
function timelineOf(
  attempts: readonly RoutingAttempt[],
  { task, startMs }: { readonly task: string; readonly startMs: number | undefined },
): Record<string, unknown>[] {
  let fromMs = startMs;
  return attempts.map((attempt) => {
    const begun = fromMs;
    if (fromMs !== undefined) fromMs += attempt.ms;
    return { ...attemptJson(attempt), task, startMs: begun ?? null };
  });
}

function attemptJson({ model, provider, outcome, status, ms }: RoutingAttempt) {
  return { task: null, model, provider, outcome, status: status ?? null, ms };
}

/** Hold by hold, with the entries of the journal that they are made of. */
function settlementJson(
  { holdIds, charged }: RequestRecord,
  { entries, isComplete }: RequestBooks,
): Record<string, unknown> {
  return {
    charged,
    complete: isComplete,
    holds: holdIds.map((id) => holdJson(id, entries.filter((entry) => idOf(entry) === id))),
    entries: entries.filter(({ op }) => op !== "progress").map(entryJson),
  };
}

function holdJson(id: string, entries: readonly JournalEntry[]): Record<string, unknown> {
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
    held: amountText(hold?.amount ?? settled?.held ?? released?.held),
    heldAt: timeText(hold?.at),
    endedAt: timeText(settled?.at ?? released?.at),
    charged: amountText(settled?.charged),
    returned: amountText(settled === undefined ? released?.held : settled.held - settled.charged),
    writtenOff: amountText(settled?.writtenOff),
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

function amountText(amount: bigint | undefined): string | null {
  return amount === undefined ? null : formatCredits(amount);
}

function timeText(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : new Date(timeMs).toISOString();
}

/** The tasks of a split request, and its answer: what is left of the whole. */
function tasksJson(
  record: RequestRecord,
  tasks: readonly TaskRecord[],
): Record<string, unknown>[] {
  const used = new Set(tasks.flatMap(({ dependsOn }) => dependsOn));
  const { model: _model, provider: _provider, charged, durationMs, ...own } = answerOf(record);
  const answer = {
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
) {
  return {
    ...task,
    model: model ?? null,
    provider: provider ?? null,
    startMs: startMs ?? null,
    ms: ms ?? null,
    attempts: attempts.map(attemptJson),
  };
}
