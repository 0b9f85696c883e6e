import type { Call, Command, Output } from "./command.ts";
import { type Row, rowOf, rowsOf, textOf, timeOf } from "./json_fields.ts";
import { amount, column, facts, id, optional, table, time } from "./table.ts";
import { timeRange } from "./local_time.ts";
import { nextPage } from "./wallets.ts";

/** `svc requests …`. */
export const requestCommands: readonly Command[] = [
  {
    words: "requests",
    operands: [],
    required: [],
    options: ["key", "status", "since", "until", "limit", "cursor"],
    summary: "List requests, newest first",
    run: list,
  },
  {
    words: "requests show",
    operands: ["ID"],
    required: [],
    options: [],
    summary: "Show one request: its route, its attempts and its cost",
    run: async ({ client, operands: [request = ""] }) => {
      const json = await client.get(`/requests/${encodeURIComponent(request)}`);
      return { json, text: ({ width }) => requestText(json, width) };
    },
  },
];

async function list(call: Call): Promise<Output> {
  const json = await call.client.get("/requests", {
    key: call.option("key"),
    status: call.option("status"),
    ...timeRange(call),
    limit: call.option("limit"),
    cursor: call.option("cursor"),
  });
  const columns = [
    time("TIME", "at"),
    id("REQUEST", "id"),
    amount("STATUS", "status"),
    column("MODEL", "model"),
    amount("CHARGED", "charged"),
    optional(amount("MS", "durationMs")),
    optional(id("KEY", "key")),
    optional(column("ENDPOINT", "endpoint")),
  ];
  const empty = "No requests";
  return {
    json,
    text: ({ width }) =>
      table(columns, rowsOf(json, "requests"), { width, empty }) + nextPage(json),
  };
}

function requestText(request: Row, width: number): string {
  const summary: readonly (readonly [string, string])[] = [
    ["request", textOf(request, "id")],
    ["request id", textOf(request, "requestId")],
    ["time", timeOf(request, "at")],
    ["key", textOf(request, "key")],
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
    section("Attempts", ATTEMPTS, { rows: rowsOf(request, "attempts"), width }) +
    section("Left out", EXCLUSIONS, { rows: rowsOf(request, "exclusions"), width });
}

const ATTEMPTS = [
  column("MODEL", "model"),
  column("PROVIDER", "provider"),
  column("OUTCOME", "outcome"),
  amount("STATUS", "status"),
  amount("MS", "ms"),
];
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
