/** Calls every file tool on the workspace in the first argument, and prints what the model reads. */

import { fileRead, fileSearch, fileWrite, listDir, type Tool } from "@svc/tools";
import { argv } from "node:process";

const CALL = { toolCallId: "call", signal: new AbortController().signal };
const workspace = argv[2] ?? "";

async function told(tool: Tool, input: unknown): Promise<void> {
  const answer = await Promise.resolve(tool.execute?.(input, CALL)).catch(String);
  console.log(typeof answer === "string" ? answer : "answered");
}

await told(fileRead({ workspace }), { path: "a.txt" });
await told(listDir({ workspace }), {});
await told(fileSearch({ workspace }), { query: "a" });
await told(fileWrite({ workspace, permission: () => true }), {
  path: "b.txt",
  mode: "create",
  content: "b",
});
