/**
 * Runs the attacks on the world named in the first argument, in whatever runtime and with whatever
 * permissions it was started, and prints how each ended: one line of JSON each.
 */

import { fileRead, fileSearch, fileWrite, listDir, type Tool } from "@svc/tools";
import { argv } from "node:process";
import { type Attack, attacks, DENIED, SECRET, type World } from "./attacks.ts";

const CALL = { toolCallId: "call", signal: new AbortController().signal };

const PERMISSIONS: Readonly<Record<string, () => boolean>> = {
  grants: () => true,
  throws: () => {
    throw new Error("No");
  },
  // What an application without types may answer.
  truthy: () => JSON.parse('"yes"'),
};

function toolFor({ tool, permission }: Attack, { workspace }: World): Tool {
  switch (tool) {
    case "file_read":
      return fileRead({ workspace });
    case "list_dir":
      return listDir({ workspace });
    case "file_search":
      return fileSearch({ workspace });
    case "file_write":
      return fileWrite({ workspace, permission: PERMISSIONS[permission ?? "grants"] });
  }
}

async function endOf(attack: Attack, world: World): Promise<string> {
  try {
    const answer = JSON.stringify(await toolFor(attack, world).execute?.(attack.input, CALL));
    if (answer.includes(SECRET)) return "leaked";
    return answer.includes(DENIED) ? "leaked a secret" : "harmless";
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return "code" in error && error.name === "ToolError" ? String(error.code) : `bug: ${error}`;
  }
}

const world: World = JSON.parse(argv[2] ?? "");
for (const attack of attacks(world)) {
  const before = performance.now();
  const end = await endOf(attack, world);
  const { kind, tool, ends } = attack;
  const input = JSON.stringify(attack.input).slice(0, 120);
  const ms = Math.round(performance.now() - before);
  console.log(JSON.stringify({ kind, tool, input, ends, end, ms }));
}
