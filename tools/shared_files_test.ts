import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { fileRead } from "./file_read.ts";
import { fileSearch } from "./file_search.ts";
import { fileWrite } from "./file_write.ts";
import { listDir } from "./list_dir.ts";
import { call, type Scratch, scratch } from "./sandbox/scratch_test.ts";
import { sharedCases } from "./shared_cases_test.ts";
import { ToolError } from "./tool.ts";

/** A file's text, or what else is there. */
type Entry = string | {
  readonly bytes?: readonly number[];
  readonly link?: string;
  readonly hardLink?: string;
  readonly size?: number;
};

interface Step {
  readonly tool: "file_read" | "file_search" | "file_write" | "list_dir";
  readonly input: unknown;
  /** The whole result; absent: the call must fail. */
  readonly result?: unknown;
  readonly code?: string;
  /** A part of the message. */
  readonly message?: string;
}

interface Scenario {
  readonly name: string;
  readonly fileDeny?: readonly string[];
  readonly files: Readonly<Record<string, Entry>>;
  readonly steps: readonly Step[];
  /** The text of files at the end. */
  readonly after?: Readonly<Record<string, string>>;
}

const MAKE = { file_read: fileRead, file_search: fileSearch, list_dir: listDir };

async function placeEntry(lab: Scratch, path: string, entry: Entry): Promise<void> {
  if (typeof entry === "string") return;
  const at = lab.at(path);
  if (entry.link !== undefined) return await Deno.symlink(entry.link, at);
  if (entry.hardLink !== undefined) return await Deno.link(lab.at(entry.hardLink), at);
  await Deno.mkdir(at.slice(0, at.lastIndexOf("/")), { recursive: true });
  if (entry.bytes !== undefined) return await Deno.writeFile(at, new Uint8Array(entry.bytes));
  if (entry.size === undefined) return await Deno.mkdir(at);
  await Deno.writeFile(at, new Uint8Array());
  await Deno.truncate(at, entry.size);
}

async function take(lab: Scratch, { fileDeny }: Scenario, step: Step): Promise<void> {
  const options = { ...lab, fileDeny };
  const tool = step.tool === "file_write"
    ? fileWrite({ ...options, permission: () => true })
    : MAKE[step.tool](options);
  const input = Object(step.input);
  const path = String(input.path ?? "").replace("{workspace}", lab.workspace);
  const given = typeof input.path === "string" ? { ...input, path } : input;
  if (step.code === undefined) return assertEquals(await call(tool, given), step.result);
  const error = await assertRejects(() => call(tool, given), ToolError);
  assertEquals(error.code, step.code, error.message);
  assertStringIncludes(error.message, step.message ?? "");
}

for (const scenario of sharedCases<readonly Scenario[]>("files")) {
  Deno.test(scenario.name, async () => {
    const texts = Object.entries(scenario.files).flatMap(([path, entry]) =>
      typeof entry === "string" ? [[path, entry] as const] : []
    );
    await using lab = await scratch(Object.fromEntries(texts));
    for (const [path, entry] of Object.entries(scenario.files)) await placeEntry(lab, path, entry);
    for (const step of scenario.steps) await take(lab, scenario, step);
    for (const [path, text] of Object.entries(scenario.after ?? {})) {
      assertEquals(await Deno.readTextFile(lab.at(path)), text, path);
    }
  });
}
