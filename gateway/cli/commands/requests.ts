import type { AnswerOf } from "../../admin_api/operations.ts";
import { AUDIT_KEY_ID, AUDIT_KEY_NAME } from "../../domain/policy/key.ts";
import { dialText } from "../../domain/routing/dial.ts";
import type { Call, Command, Output } from "../command.ts";
import { UsageError } from "../failures.ts";
import { timeText } from "../output/field_text.ts";
import {
  amount,
  type Column,
  column,
  facts,
  id,
  optional,
  printable,
  section,
  table,
  time,
} from "../output/table.ts";
import { timeRange } from "../output/local_time.ts";
import { DEFAULT_PAGE, PAGE_LIMIT } from "../../admin_api/query_fields.ts";
import { nextPage } from "./wallets.ts";
import { wrapped } from "../output/wrapped.ts";

type Summary = AnswerOf<"GET /requests">["requests"][number];
type Request = AnswerOf<"GET /requests/{id}">;

/** A line of the followed log. */
interface TailLine {
  readonly request?: Summary;
  /** Rows that were lost because the connection was slow. */
  readonly lost?: { readonly rows: number };
}

const FILTERS = [
  ...["key", "model", "provider", "task", "endpoint", "outcome", "status", "error"] as const,
  ...["tag", "user"] as const,
  ...["min-charged", "request-id", "match", "since", "until"] as const,
];

/** `svc requests …`. */
export const requestCommands: readonly Command[] = [
  {
    words: "requests",
    options: [...FILTERS, "oldest", "follow", "limit", "cursor"],
    summary: "List requests, newest first, or follow them",
    run: (call) => call.has("follow") ? follow(call) : list(call),
  },
  {
    words: "requests show",
    operands: ["ID"],
    summary: "Show one request: its route, its attempts and its cost",
    run: async (call) => {
      const [id = ""] = call.operands;
      const json = await call.client.call("GET /requests/{id}", { id });
      const name = call.has("json") ? undefined : (await keyNames(call, [json])).get(json.key);
      return { json, text: ({ width }) => requestText(json, { width, name }) };
    },
  },
];

function filterOf(call: Call): Record<string, string | undefined> {
  return {
    key: call.option("key"),
    model: call.option("model"),
    provider: call.option("provider"),
    task: call.option("task"),
    endpoint: call.option("endpoint"),
    tag: call.option("tag"),
    user: call.option("user"),
    outcome: call.option("outcome"),
    status: call.option("status"),
    error: call.option("error"),
    min_charged: call.option("min-charged"),
    request_id: call.option("request-id"),
    q: call.option("match"),
    ...timeRange(call),
  };
}

/** Status column; a cut response, or a caller disconnect, replaces the status of 200. */
const ENDING: Column<Summary> = {
  title: "STATUS",
  cell: ({ outcome, status }) =>
    outcome === "ok" || outcome === "error"
      ? String(status)
      : outcome.replace("client_left", "left"),
  kind: "amount",
};

/** The model that answered, or the error code. */
const MODEL_OR_ERROR: Column<Summary> = {
  title: "MODEL/ERROR",
  cell: ({ model, errorCode }) => model ?? errorCode ?? "",
  kind: "text",
};

/** Names of keys by their ids. */
type KeyNames = ReadonlyMap<string, string>;

async function keyNames(
  { client }: Pick<Call, "client">,
  rows: readonly Pick<Summary, "key">[],
): Promise<KeyNames> {
  const ids = [...new Set(rows.map(({ key }) => key))].slice(0, PAGE_LIMIT).join(",");
  if (ids === "") return new Map();
  const { keys } = await client.call("GET /keys", { query: { ids } });
  return new Map(keys.map(({ id, name }) => [id, name])).set(AUDIT_KEY_ID, AUDIT_KEY_NAME);
}

/** Columns of a list. `svc requests show` accepts the id of a row and that of a request. */
function columnsWith(names: KeyNames): readonly Column<Summary>[] {
  return [
    time("TIME", "at"),
    id("REQUEST", "id"),
    ENDING,
    MODEL_OR_ERROR,
    amount("CHARGED", "charged"),
    optional({ title: "KEY", cell: ({ key }) => names.get(key) ?? key, kind: "text" }),
    optional(amount("MS", "durationMs")),
    optional(id("REQUEST ID", "requestId")),
    optional(column("ENDPOINT", "endpoint")),
  ];
}

/** Fixed widths of followed lines, which are not known together. */
const FOLLOWED_WIDTHS = [19, 30, 6, 20, 12, 16, 7, 30, 9];

async function list(call: Call): Promise<Output> {
  const query = {
    ...filterOf(call),
    order: call.has("oldest") ? "oldest" : undefined,
    limit: call.option("limit"),
    cursor: call.option("cursor"),
  };
  const json = await call.client.call("GET /requests", { query });
  const { requests: rows } = json;
  const columns = columnsWith(await keyNames(call, rows));
  const limit = Number(call.option("limit") ?? DEFAULT_PAGE);
  const rest = rows.length < limit ? stoppedSearch(json) : nextPage(json);
  // A search that continues may still find some.
  const empty = rest === "" ? "No requests\n" : "";
  return {
    json,
    text: ({ width }) =>
      (rows.length === 0 ? empty : table(columns, rows, { width, empty: "" })) + rest,
  };
}

/** Explains a short page that is not the last: the gateway bounds the time of a search. */
function stoppedSearch({ cursor }: AnswerOf<"GET /requests">): string {
  if (cursor === null) return "";
  return "The search stopped before it had read the whole log: " +
    `continue with the same command and --cursor ${cursor}\n`;
}

/** Prints rows as they are logged, until the gateway ends or the operator interrupts. */
async function follow(call: Call): Promise<undefined> {
  const superfluous = (["limit", "cursor", "oldest"] as const).find((name) => call.has(name));
  if (superfluous !== undefined) {
    throw new UsageError(`--follow cannot be combined with --${superfluous}`);
  }
  const { io, client } = call;
  const { lines } = await client.stream<"GET /requests/tail", TailLine>("GET /requests/tail", {
    query: filterOf(call),
  });
  const width = io.isTerminal ? io.columns : Infinity;
  let isFirst = true;
  let names: KeyNames = new Map();
  for await (const batch of lines) {
    for (const { value: { lost } } of batch) {
      if (lost !== undefined) call.warn(`${lost.rows} requests came too fast to be shown`);
    }
    const requests = batch.flatMap(({ value: { request } }) => request ?? []);
    if (requests.length === 0) continue;
    if (call.has("json")) {
      io.stdout(requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
      continue;
    }
    // A key created since the last lookup has a name too.
    if (requests.some(({ key }) => !names.has(key))) names = await keyNames(call, requests);
    const text = table(columnsWith(names).map(padded), requests, { width, empty: "" });
    io.stdout(isFirst ? text : text.slice(text.indexOf("\n") + 1));
    isFirst = false;
  }
}

/** Returns a column padded to its fixed width. */
function padded(column: Column<Summary>, at: number): Column<Summary> {
  const width = FOLLOWED_WIDTHS[at] ?? 0;
  const isRight = column.kind === "amount";
  const pad = (text: string) => isRight ? text.padStart(width) : text.padEnd(width);
  return { ...column, cell: (row) => pad(column.cell(row)) };
}

function requestText(
  request: Request,
  { width, name }: { readonly width: number; readonly name: string | undefined },
): string {
  const { key, timeline, tasks, settlement, usageProblems, scores, exclusions } = request;
  const summary: readonly (readonly [string, string])[] = [
    ["request", request.id],
    ["request id", request.requestId],
    ["time", timeText(request.at)],
    ["key", name === undefined ? key : `${name} (${key})`],
    ["wallet", request.wallet],
    ["user", request.user ?? ""],
    ["safety identifier", request.safetyIdentifier ?? ""],
    ["tags", Object.entries(request.tags).map((pair) => pair.join("=")).join(", ")],
    ["endpoint", request.endpoint + (request.stream ? " (stream)" : "")],
    ["status", `${request.status} ${request.outcome}`],
    ["error", request.errorCode ?? ""],
    ["model", request.model ?? ""],
    ["provider", request.provider ?? ""],
    ["why", request.routing?.reason ?? ""],
    ...decisionFacts(request),
    ["duration", milliseconds(request.durationMs)],
    ["first byte", milliseconds(request.firstByteMs)],
    ["tokens", tokensText(request)],
    ["charged", request.charged],
    ["holds", request.holds.join(", ")],
  ];
  return facts(summary.filter(([, value]) => value !== "")) +
    section("Attempts", ATTEMPTS, { rows: timeline, width }) +
    wordsText(timeline, width) +
    section("Tasks", TASKS, { rows: tasks ?? [], width }) +
    section("Holds", HOLDS, { rows: settlement.holds, width }) +
    section("Usage not accepted", USAGE_PROBLEMS, { rows: usageProblems, width }) +
    section("Scores", SCORES, { rows: scores, width }) +
    section("Left out", EXCLUSIONS, { rows: exclusions, width }) +
    section("Feedback", FEEDBACK, { rows: request.feedback, width }) +
    contentText(request.content);
}

/** Returns the learned facts of a routing decision. */
function decisionFacts({ routing }: Request): readonly (readonly [string, string])[] {
  const { task, snapshot, p, p_error: error, outcomes, dial, plan } = routing ?? {};
  const count = outcomes === undefined ? "" : `, ${outcomes} outcomes`;
  return [
    ["task", task ?? ""],
    ["snapshot", snapshot === undefined ? "" : String(snapshot)],
    ["p", p === undefined ? "" : `${p} ± ${error ?? 0}${count}`],
    ["dial", dial === undefined ? "" : dialText(dial)],
    ["plan", plan ?? ""],
  ];
}

/** Formats the upstreams' messages of failed attempts, each below the name of its model. */
function wordsText(attempts: Request["timeline"], width: number): string {
  const texts = attempts.flatMap(({ model, outcome, words }) => {
    if (words === null) return [];
    const lines = wrapped(printable(words), width - 2).trimEnd().split("\n");
    return `${model} (${outcome})\n${lines.map((line) => `  ${line}\n`).join("")}`;
  });
  return texts.length === 0 ? "" : `\nMessages of upstreams\n${texts.join("")}`;
}

/** Formats the logged content, for keys with a content log. */
function contentText(content: Request["content"]): string {
  if (content === null) return "";
  const mark = content.isCut ? " (cut)" : "";
  const pairs = [[`prompt${mark}`, content.prompt], [`answer${mark}`, content.answer]] as const;
  return `\n${facts(pairs)}`;
}

const ATTEMPTS: readonly Column<Request["timeline"][number]>[] = [
  column("MODEL", "model"),
  column("PROVIDER", "provider"),
  column("OUTCOME", "outcome"),
  amount("STATUS", "status"),
  optional(amount("AT MS", "startMs")),
  amount("MS", "ms"),
];
const TASKS: readonly Column<NonNullable<Request["tasks"]>[number]>[] = [
  id("TASK", "taskId"),
  id("STATUS", "status"),
  column("MODEL", "model"),
  amount("CHARGED", "charged"),
  optional(amount("AT MS", "startMs")),
  optional(amount("MS", "ms")),
  optional(column("AFTER", "dependsOn")),
];
const HOLDS: readonly Column<Request["settlement"]["holds"][number]>[] = [
  id("HOLD", "id"),
  id("STATE", "state"),
  amount("HELD", "held"),
  amount("CHARGED", "charged"),
  optional(amount("RETURNED", "returned")),
  optional(column("MODEL", "model")),
];
const USAGE_PROBLEMS: readonly Column<Request["usageProblems"][number]>[] = [
  column("MODEL", "model"),
  column("WHY", "problem"),
];
const SCORES: readonly Column<Request["scores"][number]>[] = [
  column("MODEL", "model"),
  amount("SCORE", "score"),
];
const EXCLUSIONS: readonly Column<Request["exclusions"][number]>[] = [
  column("MODEL", "model"),
  column("STAGE", "stage"),
  column("REASON", "reason"),
];

const FEEDBACK: readonly Column<Request["feedback"][number]>[] = [
  time("TIME", "at"),
  column("SOURCE", "source"),
  amount("SCORE", "score"),
  optional(column("COMMENT", "comment")),
];

function milliseconds(ms: number | null): string {
  return ms === null ? "" : `${ms} ms`;
}

function tokensText({ inputTokens, cachedInputTokens, outputTokens, estimated }: Request): string {
  const counted = estimated ? ", counted here" : "";
  return `${inputTokens} in (${cachedInputTokens} cached), ${outputTokens} out${counted}`;
}
