import { nextPage } from "./wallets.ts";
import type { z } from "zod";
import type { exportLineAnswer } from "../../admin_api/answers/routing.ts";
import type { AnswerOf } from "../../admin_api/operations.ts";
import { dialText } from "../../domain/routing/dial.ts";
import type { Call, Command, Output, Page } from "../command.ts";
import { CliFailure, UsageError } from "../failures.ts";
import { requireAgreement } from "../input/agreement.ts";
import { timeText } from "../output/field_text.ts";
import {
  amount,
  type Column,
  column,
  facts,
  optional,
  section,
  table,
  time,
} from "../output/table.ts";

type TaskList = AnswerOf<"GET /routing/tasks">;
type TaskSummary = TaskList["tasks"][number];
type Task = AnswerOf<"GET /routing/tasks/{task}">;
type Explanation = AnswerOf<"GET /routing/requests/{id}">;
type Snapshots = AnswerOf<"GET /routing/snapshots">;
type Reset = AnswerOf<"POST /routing/reset">;
type ExportLine = z.output<typeof exportLineAnswer>;

/** Digits of a fingerprint that are shown: they identify a task among thousands. */
const DIGITS = 8;

/** `svc routing …`. */
export const routingCommands: readonly Command[] = [
  {
    words: "routing explain",
    operands: ["REQUEST"],
    summary: "Explain why a request was routed as it was",
    run: async ({ client, operands: [id = ""] }) => {
      const json = await client.call("GET /routing/requests/{id}", { id });
      return { json, text: (page) => explanationText(json, page) };
    },
  },
  {
    words: "routing tasks",
    operands: ["[TASK]"],
    options: ["wallet", "limit", "cursor"],
    meanings: { wallet: "Only tasks of this wallet" },
    summary: "List the tasks that routing learns about, or show one",
    run: (call) => call.operands.length === 0 ? listTasks(call) : showTask(call),
  },
  {
    words: "routing freeze",
    operands: ["[N]"],
    summary: "Route by one snapshot from now on, the newest or the one of a number",
    run: async ({ client, operands: [number] }) => {
      const body = { snapshot: numberOf(number) };
      return snapshotOutput(await client.call("POST /routing/freeze", { body }));
    },
  },
  {
    words: "routing unfreeze",
    summary: "Follow the newest snapshot again",
    run: async ({ client }) =>
      snapshotOutput(await client.call("POST /routing/unfreeze", { body: {} })),
  },
  {
    words: "routing reset",
    options: ["wallet", "task", "yes"],
    meanings: { wallet: "Only statistics of this wallet" },
    summary: "Remove what routing has learned: of one task, of a wallet, or all",
    run: reset,
  },
  {
    words: "routing export",
    options: ["snapshot", "output", "force"],
    summary: "Write all statistics of a snapshot, one JSON value a line",
    run: exportSnapshot,
  },
];

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`Give the number of a snapshot, not "${text}"`);
}

const TASKS: readonly Column<TaskSummary>[] = [
  { title: "TASK", cell: ({ task }) => task.slice(0, DIGITS), kind: "id" },
  optional(column("WALLET", "wallet")),
  amount("REQUESTS", "requests"),
  {
    title: "MODELS",
    cell: ({ models }) =>
      models.map(({ model, share }) => `${model} ${percentText(share)}`).join(", "),
    kind: "text",
  },
  { title: "QUALITY", cell: ({ quality }) => intervalText(quality), kind: "amount" },
  amount("CHARGED", "charged"),
  { title: "SAVED", cell: savedText, kind: "amount" },
  optional(amount("ALWAYS BEST", "bestCharged")),
  optional(amount("CHEAPEST", "cheapestCharged")),
  optional(amount("OUTCOMES", "outcomes")),
  optional(time("LAST USED", "lastUsedAt")),
];

async function listTasks(call: Call): Promise<Output> {
  const [wallet, limit, cursor] = (["wallet", "limit", "cursor"] as const).map(call.option);
  const query = { wallet, limit, cursor };
  const json = await call.client.call("GET /routing/tasks", { query });
  const { totals, tasks, snapshot } = json;
  const empty = "Routing has learned about no task yet";
  return {
    json,
    text: ({ width }) =>
      tasks.length === 0 ? `${empty}\n` : table(TASKS, tasks, { width, empty }) + "\n" + facts([
        ["tasks", String(totals.tasks)],
        ["requests", String(totals.requests)],
        ["charged", `${totals.charged}, saved ${savedText(totals)}`],
        ["always best", totals.bestCharged],
        ["always cheapest", totals.cheapestCharged],
        ["quality", intervalText(totals.quality)],
        ["snapshot", String(snapshot)],
      ]) + nextPage(json),
  };
}

async function showTask(call: Call): Promise<Output> {
  const superfluous = (["wallet", "limit", "cursor"] as const).find((name) => call.has(name));
  if (superfluous !== undefined) throw new UsageError(`One task has no use for --${superfluous}`);
  const [task = ""] = call.operands;
  const json = await call.client.call("GET /routing/tasks/{task}", { task });
  return { json, text: (page) => taskText(json, page) };
}

const MODELS: readonly Column<Task["models"][number]>[] = [
  column("MODEL", "model"),
  amount("REQUESTS", "requests"),
  { title: "SHARE", cell: ({ share }) => percentText(share), kind: "amount" },
  { title: "QUALITY", cell: ({ quality }) => intervalText(quality), kind: "amount" },
  amount("CHARGED", "charged"),
  {
    title: "OUTCOMES",
    cell: ({ sources }) =>
      sources.map(({ source, weight, good }) =>
        `${source} ${Math.round(weight)} (${percentText(good)} good)`
      ).join(", "),
    kind: "text",
  },
];
const PLANS: readonly Column<Task["plans"][number]>[] = [
  { title: "ASKED TOGETHER", cell: ({ cheap }) => cheap.join(" + "), kind: "text" },
  column("ELSE", "better"),
  { title: "EQUAL", cell: ({ quality }) => percentText(quality), kind: "amount" },
  { title: "COST", cell: ({ cost }) => percentText(cost), kind: "amount" },
  amount("AUDITS", "audits"),
];

function taskText(task: Task, { width }: Page): string {
  return facts([
    ["task", task.task],
    ["wallet", task.wallet],
    ["last used", timeText(task.lastUsedAt)],
    ["requests", String(task.requests)],
    ["quality", intervalText(task.quality)],
    ["charged", `${task.charged}, saved ${savedText(task)}`],
    ["always best", task.bestCharged],
    ["always cheapest", task.cheapestCharged],
    ["audits", String(task.audits)],
    ["snapshot", String(task.snapshot)],
  ]) +
    section("Models", MODELS, { rows: task.models, width }) +
    section("Plans of verified answers", PLANS, { rows: task.plans, width }) +
    `\nIts requests: svc requests --task ${task.task.slice(0, DIGITS)}\n`;
}

const CANDIDATES: readonly Column<Explanation["candidates"][number]>[] = [
  { title: "MODEL", cell: ({ model, isChosen }) => isChosen ? `${model} *` : model, kind: "text" },
  amount("VALUE", "score"),
  amount("P", "p"),
  amount("ERROR", "pError"),
  amount("OUTCOMES", "outcomes"),
  amount("CATALOG", "quality"),
];
const EXCLUSIONS: readonly Column<Explanation["exclusions"][number]>[] = [
  column("MODEL", "model"),
  column("STAGE", "stage"),
  column("REASON", "reason"),
];

function explanationText(explanation: Explanation, { width }: Page): string {
  const { dial, targetShare, snapshot, recomputed, p, pError, outcomes } = explanation;
  const stored = recomputed ? "" : ", no longer stored: its estimates are those of the log";
  const summary: readonly (readonly [string, string])[] = [
    ["request", explanation.id],
    ["request id", explanation.requestId],
    ["time", timeText(explanation.at)],
    ["wallet", explanation.wallet],
    ["model", explanation.model ?? ""],
    ["why", explanation.reason ?? "The request was refused before a model was chosen"],
    ["plan", explanation.plan ?? ""],
    ["task", explanation.task ?? ""],
    [
      "dial",
      dial === null ? "" : `${dialText(dial)}, targets ${percentText(targetShare ?? 0)} ` +
        "of the cost of the best model",
    ],
    ["difficulty", explanation.difficulty === null ? "" : String(explanation.difficulty)],
    ["p", p === null ? "" : `${p} ± ${pError ?? 0}, ${outcomes ?? 0} outcomes at the task`],
    ["snapshot", snapshot === null ? "" : `${snapshot}${stored}`],
  ];
  return facts(summary.filter(([, value]) => value !== "")) +
    section("Candidates", CANDIDATES, { rows: explanation.candidates, width }) +
    section("Left out", EXCLUSIONS, { rows: explanation.exclusions, width });
}

function snapshotOutput(json: Snapshots): Output {
  return {
    json,
    text: () =>
      facts([
        ["in force", `snapshot ${json.inForce}`],
        ["newest", `snapshot ${json.newest}`],
        ["frozen", json.frozen === null ? "no" : `at snapshot ${json.frozen}`],
      ]),
  };
}

async function reset(call: Call): Promise<Output> {
  const [wallet, task] = [call.option("wallet"), call.option("task")];
  const scope = task !== undefined
    ? `the task ${task}`
    : wallet !== undefined
    ? `the wallet ${wallet}`
    : "all wallets";
  await requireAgreement(call, `Remove what routing has learned about ${scope}?`);
  const json: Reset = await call.client.call("POST /routing/reset", { body: { wallet, task } });
  const frozen = json.frozen === null
    ? ""
    : `The frozen snapshot ${json.frozen} still decides: svc routing unfreeze\n`;
  return {
    json,
    text: () =>
      facts([
        ["tasks removed", String(json.tasks)],
        ["wallets changed", String(json.wallets)],
        ["snapshot", String(json.snapshot)],
      ]) + frozen,
  };
}

async function exportSnapshot(call: Call): Promise<Output | undefined> {
  const path = call.option("output");
  const snapshot = call.option("snapshot");
  numberOf(snapshot);
  if (path === undefined) {
    if (call.has("force")) throw new UsageError("--force replaces a file: name it by --output");
    await copyExport(call, snapshot, (text) => call.io.stdout(text));
    return undefined;
  }
  const file = await call.io.createFile(path, { force: call.has("force") });
  try {
    const { lines, number } = await copyExport(call, snapshot, (text) => file.write(text));
    await file.finish();
    const json = { file: path, snapshot: number, lines };
    const text = () => facts([["file", path], ["snapshot", `${number}`], ["lines", `${lines}`]]);
    return { json, text };
  } finally {
    await file.discard();
  }
}

/** Copies an export: as it is, or under `--json` without a file as one list. */
async function copyExport(
  call: Call,
  snapshot: string | undefined,
  write: (text: string) => void,
): Promise<{ readonly number: unknown; readonly lines: number }> {
  const { lines } = await call.client.stream<"GET /routing/export", ExportLine>(
    "GET /routing/export",
    { query: { snapshot } },
  );
  const isList = call.has("json") && call.option("output") === undefined;
  let [count, number, end]: [number, unknown, ExportLine | undefined] = [0, 0, undefined];
  for await (const batch of lines) {
    for (const { text, value } of batch) {
      if (value.kind === "snapshot") number = value["number"];
      if (value.kind === "end") end = value;
      else count++;
      const isFirst = count === 1 && end === undefined;
      write(isList ? `${isFirst ? "[\n" : ",\n"}${text}` : `${text}\n`);
    }
  }
  if (end?.["lines"] !== count) {
    throw new CliFailure("The export was interrupted before its end: run it again");
  }
  if (isList) write("\n]\n");
  return { number, lines: count };
}

/** `0.91 (0.85-0.96)`: an estimate with its 95 % interval. */
function intervalText(quality: TaskSummary["quality"]): string {
  if (quality === null) return "";
  const { p, low, high } = quality;
  return `${p.toFixed(2)} (${low.toFixed(2)}-${high.toFixed(2)})`;
}

function percentText(share: number): string {
  return `${Math.round(100 * share)}%`;
}

/** Returns the part of the cost of always-best that was saved. */
function savedText(
  { charged, bestCharged }: Pick<TaskSummary, "charged" | "bestCharged">,
): string {
  const best = Number(bestCharged);
  return best === 0 ? "" : percentText(1 - Number(charged) / best);
}
