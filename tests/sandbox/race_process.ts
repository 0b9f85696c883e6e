/**
 * Calls the file tools repeatedly while a worker swaps their files, in the runtime and with the
 * permissions of this process. The first argument has the workspace and the rounds; prints the
 * count of each outcome, and whether anything from outside was read.
 */

import { fileRead, fileSearch, fileWrite, listDir, type Tool } from "@svc/tools";
import { argv } from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { SECRET } from "./attacks.ts";

const MAX_PAUSE_MS = 20;
const MAX_MS = 60_000;
const CALL = { toolCallId: "call", signal: new AbortController().signal };

interface Race {
  readonly workspace: string;
  readonly rounds: number;
  /** Outcomes that must occur: a race that never met both states of the folder proves nothing. */
  readonly shown: readonly string[];
}

const { workspace, rounds, shown }: Race = JSON.parse(argv[2] ?? "");
const read = fileRead({ workspace });
const list = listDir({ workspace });
const search = fileSearch({ workspace });
const write = fileWrite({ workspace, permission: () => true });
const counts: Record<string, number> = {};

async function call(name: string, tool: Tool, input: unknown): Promise<void> {
  const end = await endOf(tool, input);
  counts[`${name}: ${end}`] = (counts[`${name}: ${end}`] ?? 0) + 1;
}

async function endOf(tool: Tool, input: unknown): Promise<string> {
  try {
    const answer = JSON.stringify(await tool.execute?.(input, CALL));
    return answer.includes(SECRET) ? `leaked ${answer.slice(0, 200)}` : "answered";
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return "code" in error && error.name === "ToolError" ? String(error.code) : `bug: ${error}`;
  }
}

function goesOn(round: number): boolean {
  const isShown = shown.every((end) => end in counts);
  return round < rounds || (!isShown && performance.now() < MAX_MS);
}

for (let round = 0; goesOn(round); round++) {
  const written = { content: "written inside" };
  await Promise.all([
    call("read in folder", read, { path: "folder/file.txt" }),
    call("read", read, { path: "file.txt" }),
    call("read pipe", read, { path: "pipe.txt" }),
    call("list", list, { path: "folder" }),
    call("search", search, { query: SECRET.slice(0, 6), path: "folder", glob: "file*" }),
    call("names", search, { glob: "*", path: "folder" }),
    call("overwrite", write, { path: "folder/file.txt", mode: "overwrite", ...written }),
    call("replace", write, { path: "file.txt", mode: "replace", old_text: "inside", ...written }),
    call("create", write, { path: `folder/new_${round}.txt`, mode: "create", ...written }),
    call("create in root", write, { path: `new_${round}.txt`, mode: "create", ...written }),
    call("make folder", write, { path: "folder/made/a.txt", mode: "append", ...written }),
  ]);
  // Refusals are fast: without a pause most rounds would meet the same moment.
  await delay(Math.random() * MAX_PAUSE_MS);
}
console.log(JSON.stringify(counts));
