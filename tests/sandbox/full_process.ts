/** Writes more than the disk holds, in every mode, and prints the outcome of each call. */

import { fileWrite } from "@svc/tools";
import { argv } from "node:process";

const CALL = { toolCallId: "call", signal: new AbortController().signal };
const tool = fileWrite({ workspace: argv[2] ?? "", permission: () => true });
const content = "x".repeat(1_000_000);

for (
  const input of [
    { path: "new.txt", mode: "create", content },
    { path: "kept.txt", mode: "overwrite", content },
    { path: "kept.txt", mode: "append", content },
    { path: "kept.txt", mode: "replace", old_text: "kept", content },
  ]
) {
  const end = await Promise.resolve(tool.execute?.(input, CALL)).catch((error) => error);
  console.log(end instanceof Error ? Reflect.get(end, "code") : "written");
}
