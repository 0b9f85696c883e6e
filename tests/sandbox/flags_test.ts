import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";

async function answers(workspace: string, flags: readonly string[]): Promise<string[]> {
  const program = fromFileUrl(new URL("flags_process.ts", import.meta.url));
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", ...flags, program, workspace],
  }).output();
  return new TextDecoder().decode(stdout).trim().split("\n");
}

Deno.test("without a permission every file tool names the flag that gives it", async () => {
  const workspace = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(workspace, "a.txt"), "a");
    for (const answer of await answers(workspace, [])) assertStringIncludes(answer, "--allow-read");
    const [read, list, search, write] = await answers(workspace, [`--allow-read=${workspace}`]);
    assertEquals([read, list, search], ["answered", "answered", "answered"]);
    assertStringIncludes(write ?? "", "add --allow-write for the workspace");
  } finally {
    await Deno.remove(workspace, { recursive: true });
  }
});
