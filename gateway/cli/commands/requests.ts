import type { Call, Command, Output } from "../command.ts";
import { UsageError } from "../failures.ts";
import { type Row, rowOf, rowsOf, textOf, timeOf } from "../output/json_fields.ts";
import {
  amount,
  type Column,
  column,
  facts,
  id,
  optional,
  printable,
  table,
  time,
} from "../output/table.ts";
import { timeRange } from "../output/local_time.ts";
import { DEFAULT_PAGE } from "../../admin_api/query_fields.ts";
import { nextPage } from "./wallets.ts";
import { wrapped } from "../output/wrapped.ts";

const FILTERS = [
  ...["key", "model", "provider", "endpoint", "outcome", "status", "error"] as const,
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
      const [request = ""] = call.operands;
      const json = await call.client.get(`/requests/${encodeURIComponent(request)}`);
      const name = call.has("json") ? undefined : (await keyNames(call)).get(textOf(json, "key"));
      return { json, text: ({ width }) => requestText(json, { width, name }) };
    },
  },
];

function filterOf(call: Call): Record<string, string | undefined> {
  return {
    key: call.option("key"),
    model: call.option("model"),
    provider: call.option("provider"),
    endpoint: call.option("endpoint"),
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
const ENDING: Column = {
  title: "STATUS",
  cell: (row) => {
    const outcome = textOf(row, "outcome");
    const isToldByStatus = outcome === "ok" || outcome === "error";
    return isToldByStatus ? textOf(row, "status") : outcome.replace("client_left", "left");
  },
  kind: "amount",
};

/** The model that answered, or the error code. */
const MODEL_OR_ERROR: Column = {
  title: "MODEL/ERROR",
  cell: (row) => textOf(row, "model") || textOf(row, "errorCode"),
  kind: "text",
};

/** Names of keys by their ids. */
type KeyNames = ReadonlyMap<string, string>;

async function keyNames({ client }: Pick<Call, "client">): Promise<KeyNames> {
  const keys = rowsOf(await client.get("/keys"), "keys");
  return new Map(keys.map((key) => [textOf(key, "id"), textOf(key, "name")]));
}

/** Columns of a list. `svc requests show` accepts the id of a row and that of a request. */
function columnsWith(names: KeyNames): readonly Column[] {
  return [
    time("TIME", "at"),
    id("REQUEST", "id"),
    ENDING,
    MODEL_OR_ERROR,
    amount("CHARGED", "charged"),
    optional({
      title: "KEY",
      cell: (row) => names.get(textOf(row, "key")) ?? textOf(row, "key"),
      kind: "text",
    }),
    optional(amount("MS", "durationMs")),
    optional(id("REQUEST ID", "requestId")),
    optional(column("ENDPOINT", "endpoint")),
  ];
}

/** Fixed widths of followed lines, which are not known together. */
const FOLLOWED_WIDTHS = [19, 30, 6, 20, 12, 16, 7, 30, 9];

async function list(call: Call): Promise<Output> {
  const json = await call.client.get("/requests", {
    ...filterOf(call),
    order: call.has("oldest") ? "oldest" : undefined,
    limit: call.option("limit"),
    cursor: call.option("cursor"),
  });
  const rows = rowsOf(json, "requests");
  const columns = columnsWith(rows.length === 0 ? new Map() : await keyNames(call));
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
function stoppedSearch(json: Row): string {
  const cursor = textOf(json, "cursor");
  if (cursor === "") return "";
  return "The search stopped before it had read the whole log: " +
    `go on with the same command and --cursor ${cursor}\n`;
}

/** Prints rows as they are logged, until the gateway ends or the operator interrupts. */
async function follow(call: Call): Promise<undefined> {
  const superfluous = (["limit", "cursor", "oldest"] as const).find((name) => call.has(name));
  if (superfluous !== undefined) throw new UsageError(`--follow has no use for --${superfluous}`);
  const { io, client } = call;
  const { lines } = await client.stream("/requests/tail", filterOf(call));
  const width = io.isTerminal ? io.columns : Infinity;
  let isFirst = true;
  let names: KeyNames = new Map();
  for await (const batch of lines) {
    const rows = batch.map(({ row }) => row);
    for (const row of rows) {
      const lostRows = textOf(rowOf(row, "lost"), "rows");
      if (lostRows !== "") call.warn(`${lostRows} requests came too fast to be shown`);
    }
    const requests = rows.map((row) => rowOf(row, "request")).filter((row) => "id" in row);
    if (requests.length === 0) continue;
    if (call.has("json")) {
      io.stdout(requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
      continue;
    }
    // A key created since the last lookup has a name too.
    if (requests.some(({ key }) => !names.has(String(key)))) names = await keyNames(call);
    const text = table(columnsWith(names).map(padded), requests, { width, empty: "" });
    io.stdout(isFirst ? text : text.slice(text.indexOf("\n") + 1));
    isFirst = false;
  }
}

/** Returns a column padded to its fixed width. */
function padded(column: Column, at: number): Column {
  const width = FOLLOWED_WIDTHS[at] ?? 0;
  const isRight = column.kind === "amount";
  const pad = (text: string) => isRight ? text.padStart(width) : text.padEnd(width);
  return { ...column, cell: (row) => pad(column.cell(row)) };
}

function requestText(
  request: Row,
  { width, name }: { readonly width: number; readonly name: string | undefined },
): string {
  const key = textOf(request, "key");
  const summary: readonly (readonly [string, string])[] = [
    ["request", textOf(request, "id")],
    ["request id", textOf(request, "requestId")],
    ["time", timeOf(request, "at")],
    ["key", name === undefined ? key : `${name} (${key})`],
    ["wallet", textOf(request, "wallet")],
    ["endpoint", textOf(request, "endpoint") + (request.stream === true ? " (stream)" : "")],
    ["status", `${textOf(request, "status")} ${textOf(request, "outcome")}`],
    ["error", textOf(request, "errorCode")],
    ["model", textOf(request, "model")],
    ["provider", textOf(request, "provider")],
    ["why", textOf(rowOf(request, "routing"), "reason")],
    ["duration", milliseconds(request, "durationMs")],
    ["first byte", milliseconds(request, "firstByteMs")],
    ["tokens", tokensText(request)],
    ["charged", textOf(request, "charged")],
    ["holds", textOf(request, "holds")],
  ];
  return facts(summary.filter(([, value]) => value !== "")) +
    section("Attempts", ATTEMPTS, { rows: rowsOf(request, "timeline"), width }) +
    wordsText(rowsOf(request, "timeline"), width) +
    section("Tasks", TASKS, { rows: rowsOf(request, "tasks"), width }) +
    section("Holds", HOLDS, { rows: rowsOf(rowOf(request, "settlement"), "holds"), width }) +
    section("Usage not taken", USAGE_PROBLEMS, { rows: rowsOf(request, "usageProblems"), width }) +
    section("Scores", SCORES, { rows: rowsOf(request, "scores"), width }) +
    section("Left out", EXCLUSIONS, { rows: rowsOf(request, "exclusions"), width }) +
    contentText(rowOf(request, "content"));
}

/** Formats the upstreams' messages of failed attempts, each below the name of its model. */
function wordsText(attempts: readonly Row[], width: number): string {
  const failed = attempts.filter((attempt) => textOf(attempt, "words") !== "");
  if (failed.length === 0) return "";
  const texts = failed.map((attempt) => {
    const lines = wrapped(printable(textOf(attempt, "words")), width - 2).trimEnd().split("\n");
    return `${textOf(attempt, "model")} (${textOf(attempt, "outcome")})\n` +
      lines.map((line) => `  ${line}\n`).join("");
  });
  return `\nWords of upstreams\n${texts.join("")}`;
}

/** Formats the logged content, for keys with a content log. */
function contentText(content: Row): string {
  if (Object.keys(content).length === 0) return "";
  const mark = content.isCut === true ? " (cut)" : "";
  return `\n${
    facts([[`prompt${mark}`, textOf(content, "prompt")], [
      `answer${mark}`,
      textOf(content, "answer"),
    ]])
  }`;
}

const ATTEMPTS = [
  column("MODEL", "model"),
  column("PROVIDER", "provider"),
  column("OUTCOME", "outcome"),
  amount("STATUS", "status"),
  optional(amount("AT MS", "startMs")),
  amount("MS", "ms"),
];
const TASKS = [
  id("TASK", "taskId"),
  id("STATUS", "status"),
  column("MODEL", "model"),
  amount("CHARGED", "charged"),
  optional(amount("AT MS", "startMs")),
  optional(amount("MS", "ms")),
  optional(column("AFTER", "dependsOn")),
];
const HOLDS = [
  id("HOLD", "id"),
  id("STATE", "state"),
  amount("HELD", "held"),
  amount("CHARGED", "charged"),
  optional(amount("RETURNED", "returned")),
  optional(column("MODEL", "model")),
];
const USAGE_PROBLEMS = [column("MODEL", "model"), column("WHY", "problem")];
const SCORES = [column("MODEL", "model"), amount("SCORE", "score")];
const EXCLUSIONS = [column("MODEL", "model"), column("STAGE", "stage"), column("REASON", "reason")];

function section(
  title: string,
  columns: Parameters<typeof table>[0],
  { rows, width }: { rows: readonly Row[]; width: number },
): string {
  return rows.length === 0 ? "" : `\n${title}\n${table(columns, rows, { width, empty: "" })}`;
}

function milliseconds(request: Row, field: string): string {
  const text = textOf(request, field);
  return text === "" ? "" : `${text} ms`;
}

function tokensText(request: Row): string {
  const input = textOf(request, "inputTokens");
  const cached = textOf(request, "cachedInputTokens");
  const output = textOf(request, "outputTokens");
  const counted = request.estimated === true ? ", counted here" : "";
  return `${input} in (${cached} cached), ${output} out${counted}`;
}
