import { assertEquals, assertStrictEquals } from "@std/assert";
import { defaultTools, type DefaultToolsOptions } from "./default_tools.ts";

const CONTEXT = { toolCallId: "call_1", signal: new AbortController().signal };

/** Runs a default tool of a client with these options in a temporary folder. */
async function inWorkspace(
  run: (
    workspace: string,
    use: (name: string, input: unknown, options?: DefaultToolsOptions) => Promise<string>,
  ) => Promise<void>,
): Promise<void> {
  const workspace = await Deno.makeTempDir();
  try {
    await run(workspace, async (name, input, options) => {
      const where = { fileWorkspace: workspace, shellWorkspace: workspace, ...options };
      const tool = defaultTools(where).local().find((tool) => tool.name === name);
      try {
        return JSON.stringify(await tool?.execute?.(input, CONTEXT));
      } catch (error) {
        return String(Object(error).code);
      }
    });
  } finally {
    await Deno.remove(workspace, { recursive: true });
  }
}

Deno.test("defaults are made once, on first use", () => {
  const { local } = defaultTools({});
  assertStrictEquals(local(), local());
  assertEquals(local().length, 7);
});

Deno.test("the file tools work in fileWorkspace, and leave alone what fileDeny names", async () => {
  await inWorkspace(async (workspace, use) => {
    await Deno.writeTextFile(`${workspace}/plain.txt`, "plain words");
    await Deno.writeTextFile(`${workspace}/.env`, "KEY=hidden words");
    const read = async (path: string, options?: DefaultToolsOptions) =>
      (await use("file_read", { path }, options)).includes("words");
    assertEquals(await Promise.all([read("plain.txt"), read(".env")]), [true, false]);
    const fileDeny = ["*.txt"];
    assertEquals(
      await Promise.all([read("plain.txt", { fileDeny }), read(".env", { fileDeny })]),
      [false, true],
    );
  });
});

Deno.test("6: file_write and shell are declared, and refused without their callback", async () => {
  await inWorkspace(async (workspace, use) => {
    const requests: unknown[] = [];
    const write = { path: "new.txt", mode: "create", content: "new" };
    const echo = { command: "echo ran" };
    assertEquals(await use("file_write", write), "permission_denied");
    assertEquals(await use("shell", echo), "permission_denied");
    assertEquals([...Deno.readDirSync(workspace)], []);

    await use("file_write", write, { filePermission: (request) => requests.push(request) > 0 });
    const ran = await use("shell", echo, {
      shellPermission: (request) => requests.push(request) > 0,
    });
    assertEquals(await Deno.readTextFile(`${workspace}/new.txt`), "new");
    assertEquals([ran.includes("ran"), requests.length], [true, 2]);
  });
});

Deno.test("one client has one workspace, though its link is pointed elsewhere between two tools", async () => {
  await inWorkspace(async (workspace) => {
    const [one, other, link] = ["one", "other", "link"].map((name) => `${workspace}/${name}`);
    for (const folder of [one, other]) {
      await Deno.mkdir(`${folder}`);
      await Deno.writeTextFile(`${folder}/a.txt`, `in ${folder}`);
    }
    await Deno.symlink(`${one}`, `${link}`);
    const options = { fileWorkspace: link, shellWorkspace: link, fileTrust: true };
    const tools = defaultTools({ ...options, shellPermission: () => true }).local();
    const use = async (name: string, input: unknown) =>
      JSON.stringify(await tools.find((tool) => tool.name === name)?.execute?.(input, CONTEXT));
    const seen = [await use("file_read", { path: "a.txt" })];
    await Deno.remove(`${link}`);
    await Deno.symlink(`${other}`, `${link}`);
    seen.push(await use("file_search", { query: "in" }), await use("shell", { command: "pwd" }));
    assertEquals(seen.map((text) => text.includes(`${one}`)), [true, true, true]);
    assertEquals(seen.filter((text) => text.includes(`${other}`)), []);
  });
});
