import { assertEquals, assertRejects } from "@std/assert";
import { dirname, join } from "@std/path";
import { type Tool, ToolError } from "../tool.ts";

/**
 * A temporary folder with the given files, removed with the test; usable as options of a file tool.
 */
export interface Scratch extends AsyncDisposable {
  /** The workspace; it has a neighbour outside, `../outside.txt`. */
  readonly workspace: string;
  /** Nothing else is in it, and no test waits for it to rest. */
  readonly fileTrust: true;
  /** A path in it. */
  at(path: string): string;
}

/** Makes a workspace of files. */
export async function scratch(files: Readonly<Record<string, string>> = {}): Promise<Scratch> {
  const root = await Deno.realPath(await Deno.makeTempDir());
  const workspace = join(root, "workspace");
  await Deno.mkdir(workspace);
  await Deno.writeTextFile(join(root, "outside.txt"), "outside");
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(workspace, path)), { recursive: true });
    await Deno.writeTextFile(join(workspace, path), text);
  }
  return {
    workspace,
    fileTrust: true,
    at: (path) => join(workspace, path),
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

/** Calls a tool as a loop would. */
export async function call(
  tool: Tool,
  input: unknown,
  signal: AbortSignal = new AbortController().signal,
): Promise<unknown> {
  return await tool.execute?.(input, { toolCallId: "call_1", signal });
}

/** Calls a tool that must fail with a code; returns the message for the model. */
export async function refusal(tool: Tool, input: unknown, code: string): Promise<string> {
  const error = await assertRejects(() => call(tool, input), ToolError);
  assertEquals(error.code, code, error.message);
  return error.message;
}
