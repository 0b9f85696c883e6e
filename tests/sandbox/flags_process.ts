/**
 * Calls every tool on the workspace in the first argument, and prints what the model reads, one line
 * of JSON each.
 */

import {
  calculator,
  datetime,
  fileRead,
  fileSearch,
  fileWrite,
  listDir,
  shell,
  type Tool,
} from "@svc/tools";
import { argv } from "node:process";

const CALL = { toolCallId: "call", signal: new AbortController().signal };
const workspace = argv[2] ?? "";
const permission = () => true;

async function report(tool: Tool, input: unknown): Promise<void> {
  const answer = await Promise.resolve(tool.execute?.(input, CALL)).catch(String);
  const text = typeof answer === "string" ? answer : "answered";
  console.log(JSON.stringify({ name: tool.name, text }));
}

await report(calculator(), { expression: "1 + 1" });
await report(datetime(), { operation: "now", zone: "Europe/Berlin", locale: "de" });
await report(fileRead({ workspace }), { path: "a.txt" });
await report(listDir({ workspace }), {});
await report(fileSearch({ workspace }), { query: "a" });
await report(fileWrite({ workspace, permission }), {
  path: "b.txt",
  mode: "overwrite",
  content: "b",
});
await report(shell({ workspace, permission }), { command: "true" });
