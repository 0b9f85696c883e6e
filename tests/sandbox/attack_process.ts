/**
 * Runs the attacks that the standard input lists on the workspace in the first argument, in the
 * runtime and with the permissions of this process, and prints the outcome of each: one line of
 * JSON.
 */

import { fileRead, fileSearch, fileWrite, listDir, type Tool } from "@svc/tools";
import { argv, stdin } from "node:process";
import { text } from "node:stream/consumers";
import { type Attack, DENIED, SECRET } from "./attacks.ts";

const LANES = 8;
const CALL = { toolCallId: "call", signal: new AbortController().signal };

const PERMISSIONS: Readonly<Record<string, () => boolean>> = {
  grants: () => true,
  throws: () => {
    throw new Error("No");
  },
  // An answer of an application without types.
  truthy: () => JSON.parse('"yes"'),
};

function toolFor({ tool, permission }: Attack, workspace: string): Tool {
  switch (tool) {
    case "file_read":
      return fileRead({ workspace });
    case "list_dir":
      return listDir({ workspace });
    case "file_search":
      return fileSearch({ workspace });
    case "file_write":
      // Without trust, a host that cannot hold folders would refuse most of these at once.
      return fileWrite({
        workspace,
        fileTrust: true,
        permission: PERMISSIONS[permission ?? "grants"],
      });
  }
}

async function endOf(attack: Attack, workspace: string): Promise<string> {
  try {
    const answer = JSON.stringify(await toolFor(attack, workspace).execute?.(attack.input, CALL));
    if (answer.includes(SECRET)) return "leaked";
    return answer.includes(DENIED) ? "leaked a secret" : "harmless";
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return "code" in error && error.name === "ToolError" ? String(error.code) : `bug: ${error}`;
  }
}

/** Runs attacks in order, as one lane of several. */
async function carryOut(lane: Iterator<Attack>, workspace: string): Promise<void> {
  for (let next = lane.next(); !next.done; next = lane.next()) {
    const attack = next.value;
    const end = await endOf(attack, workspace);
    const { kind, tool, ends } = attack;
    const input = JSON.stringify(attack.input).slice(0, 120);
    console.log(JSON.stringify({ kind, tool, input, ends, end }));
  }
}

const workspace = argv[2] ?? "";
const all: Attack[] = JSON.parse(await text(stdin));
// Reads cannot disturb each other; writes run alone, as each one changes its folder.
const reading = all.filter(({ tool }) => tool !== "file_write").values();
await Promise.all(Array.from({ length: LANES }, () => carryOut(reading, workspace)));
await carryOut(all.filter(({ tool }) => tool === "file_write").values(), workspace);
