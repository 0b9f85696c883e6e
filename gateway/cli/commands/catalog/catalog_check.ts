import type { AnswerOf } from "../../../admin_api/operations.ts";
import type { Call, Output, Page } from "../../command.ts";
import { UsageError } from "../../failures.ts";
import { type Column, id, optional, table } from "../../output/table.ts";
import { wrapped } from "../../output/wrapped.ts";

type Check = AnswerOf<"GET /catalog/check">;
type Model = Check["models"][number];

const SECOND_MS = 1_000;

/** Checks the catalog in force: priced, reachable, still offered. */
export async function checkInForce(call: Call): Promise<Output> {
  const query = { timeout: call.option("timeout"), tolerance: call.option("tolerance") };
  const json = await withProgress(call, () => call.client.call("GET /catalog/check", { query }));
  const failure = json.ok ? undefined : json.advice ?? "";
  return { json, text: (page) => checkText(json, page), failure };
}

/** Refuses options of the online check when a file is checked, which calls no upstream. */
export function requireNoAsking(call: Call): void {
  for (const name of ["timeout", "tolerance"] as const) {
    if (call.has(name)) throw new UsageError(`--${name} does not go with --file`);
  }
}

/** Counts the seconds on a terminal, on a line that is removed afterwards. */
async function withProgress<T>(call: Call, work: () => Promise<T>): Promise<T> {
  const { io } = call;
  if (io.progressColumns === undefined || call.has("json")) return await work();
  let seconds = 0;
  const show = () => io.stderr(`\rAsking the upstreams for their models ... ${seconds++} s`);
  show();
  const timer = setInterval(show, SECOND_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    io.stderr("\r\x1b[K");
  }
}

const COLUMNS: readonly Column<Model>[] = [
  id("MODEL", "id"),
  id("STATUS", "status"),
  id("PRICE", "price"),
  { ...id("LISTED", "listed"), cell: ({ listed }) => listedText(listed) },
  optional(id("PRICED AS", "priceEntry")),
];

function listedText(listed: boolean | null): string {
  return listed === null ? "unknown" : listed ? "yes" : "no";
}

function checkText({ models }: Check, { width }: Page): string {
  return table(COLUMNS, models, { width, empty: "The catalog has no models" }) +
    remarks(models).map((line) => `\n${wrapped(line, width)}`).join("");
}

/** Returns every problem and note once, with the models that it concerns, problems first. */
function remarks(models: readonly Model[]): string[] {
  const about = new Map<string, string[]>();
  const note = (text: string, { id }: Model) => about.set(text, [...about.get(text) ?? [], id]);
  for (const model of models) model.problems.forEach(({ message }) => note(message, model));
  for (const model of models) model.notes.forEach((text) => note(text, model));
  return [...about].map(([text, ids]) => `${text}: ${ids.join(", ")}`);
}
