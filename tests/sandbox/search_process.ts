/** Searches the workspace in the first argument several times, and prints the milliseconds of each. */

import { fileSearch } from "@svc/tools";
import { argv } from "node:process";

const ROUNDS = 3;
const CALL = { toolCallId: "call", signal: new AbortController().signal };
const tool = fileSearch({ workspace: argv[2] ?? "" });

const times: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const startedMs = performance.now();
  const { matches, truncated } = Object(await tool.execute?.({ query: "needle" }, CALL));
  if (matches.length === 0 || truncated) throw new Error("The search was not whole");
  times.push(performance.now() - startedMs);
}
console.log(JSON.stringify(times));
