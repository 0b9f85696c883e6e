import { auditChange } from "../../admin_api/audit_change.ts";
import type { AnswerOf } from "../../admin_api/operations.ts";
import type { Call, Command, Output } from "../command.ts";
import { CliFailure } from "../failures.ts";
import { timeRange } from "../output/local_time.ts";
import { type Column, column, facts, id, optional, table, time } from "../output/table.ts";
import { nextPage } from "./wallets.ts";

type Entry = AnswerOf<"GET /audit">["entries"][number];

/** `svc audit …`. */
export const auditCommands: readonly Command[] = [
  {
    words: "audit",
    options: ["who", "action", "subject", "since", "until", "limit", "cursor"],
    summary: "Search the audit log of operators' actions, newest first",
    run: list,
  },
  {
    words: "audit verify",
    summary: "Recompute the chain of the audit log",
    run: async ({ client }) => {
      const json = await client.call("GET /audit/verify");
      const { entries, head, problem } = json;
      return {
        json,
        text: () => facts([["entries", String(entries)], ["head", head]]),
        failure: problem ?? undefined,
      };
    },
  },
  {
    words: "audit export",
    options: ["output", "force"],
    summary: "Write the audit log, one JSON value a line",
    run: exportAudit,
  },
];

const COLUMNS: readonly Column<Entry>[] = [
  id("PLACE", "place"),
  time("TIME", "at"),
  { title: "WHO", cell: ({ who }) => who.name, kind: "text" },
  optional({ title: "ADDRESS", cell: ({ address }) => address ?? "", kind: "id" }),
  column("ACTION", "action"),
  column("STAGE", "stage"),
  column("SUBJECT", "subject"),
  { title: "CHANGE", cell: (entry) => auditChange(entry, "->"), kind: "text" },
];

async function list(call: Call): Promise<Output> {
  const { client, option } = call;
  const json = await client.call("GET /audit", {
    query: {
      ...{ who: option("who"), action: option("action"), subject: option("subject") },
      ...timeRange(call),
      ...{ limit: option("limit"), cursor: option("cursor") },
    },
  });
  const empty = "No entry matches here";
  return {
    json,
    text: ({ width }) => table(COLUMNS, json.entries, { width, empty }) + nextPage(json),
  };
}

/** A line of an export: an entry with its hash, or the end. */
interface ExportLine {
  readonly end?: { readonly entries: number; readonly head: string };
}

async function exportAudit(call: Call): Promise<Output | undefined> {
  const path = call.option("output");
  if (path === undefined) {
    await copy(call, (text) => call.io.stdout(text));
    return undefined;
  }
  const file = await call.io.createFile(path, { force: call.has("force") });
  try {
    const { entries, head } = await copy(call, (text) => file.write(text));
    await file.finish();
    const text = facts([["entries", String(entries)], ["head", head], ["file", path]]);
    return { json: { file: path, entries, head }, text: () => text };
  } finally {
    await file.discard();
  }
}

async function copy(
  { client }: Call,
  write: (text: string) => void,
): Promise<{ readonly entries: number; readonly head: string }> {
  const { lines } = await client.stream<"GET /audit/export", ExportLine>("GET /audit/export");
  let end: ExportLine["end"];
  for await (const batch of lines) {
    for (const { text, value } of batch) {
      write(`${text}\n`);
      end = value.end ?? end;
    }
  }
  if (end === undefined) {
    throw new CliFailure("The export was interrupted before its end: run it again");
  }
  return end;
}
