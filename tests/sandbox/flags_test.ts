import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";

/** A tool's line in the table of the package's README. */
const ROW = /^\| `(\w+)` +\|.*\| ([^|]+?) +\|$/gm;

async function documented(): Promise<Map<string, readonly string[]>> {
  const readme = await Deno.readTextFile(new URL("../../tools/README.md", import.meta.url));
  const rows = [...readme.matchAll(ROW)];
  return new Map(rows.map(([, name = "", flags = ""]) => [name, flags.match(/--[\w-]+/g) ?? []]));
}

async function answers(
  workspace: string,
  flags: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const program = fromFileUrl(new URL("flags_process.ts", import.meta.url));
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", ...flags, program, workspace],
  }).output();
  const lines = new TextDecoder().decode(stdout).trim().split("\n").map((line) => JSON.parse(line));
  return new Map(lines.map(({ name, text }) => [name, text]));
}

/** Returns the flag limited to a workspace, when that is enough. */
function narrowed(flag: string, workspace: string): string {
  return /read|write/.test(flag) ? `${flag}=${workspace}` : flag;
}

Deno.test("a tool works with the permissions of the README, and names those that are missing", {
  ignore: Deno.build.os === "windows",
}, async () => {
  const workspace = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.writeTextFile(join(workspace, "a.txt"), "a");
    const tools = await documented();
    const everything = ["read", "write", "run", "env"].map((name) => `--allow-${name}`);
    const called = await answers(workspace, everything);
    assertEquals([...tools.keys()].sort(), [...called.keys()].sort());
    for (const [name, flags] of tools) {
      const needed = flags.map((flag) => narrowed(flag, workspace));
      assertEquals((await answers(workspace, needed)).get(name), "answered", name);
      for (const flag of needed) {
        const others = needed.filter((other) => other !== flag);
        const reply = (await answers(workspace, others)).get(name) ?? "";
        assertStringIncludes(reply, flag.split("=")[0] ?? "", name);
      }
    }
  } finally {
    await Deno.remove(workspace, { recursive: true });
  }
});

Deno.test("a workspace that is a link is refused by the name of the folder that needs the grant", {
  ignore: Deno.build.os === "windows",
}, async () => {
  const root = await Deno.realPath(await Deno.makeTempDir());
  const [real, link] = [join(root, "real"), join(root, "link")];
  try {
    await Deno.mkdir(real);
    await Deno.writeTextFile(join(real, "a.txt"), "a");
    await Deno.symlink(real, link);
    const both = [`--allow-read=${link},${real}`, `--allow-write=${link},${real}`];
    assertEquals((await answers(link, both)).get("file_write"), "answered");
    for (
      const [flags, tool, missing] of [
        [[`--allow-read=${link}`], "file_read", `--allow-read=${real}`],
        [[`--allow-read=${real}`], "file_read", `--allow-read=${link}`],
        [
          [`--allow-read=${link},${real}`, `--allow-write=${link}`],
          "file_write",
          `--allow-write=${real}`,
        ],
      ] as const
    ) {
      const reply = (await answers(link, flags)).get(tool) ?? "";
      assert(reply.endsWith(missing), reply);
    }
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
