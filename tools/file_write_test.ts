import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { fileWrite } from "./file_write.ts";
import type { FilePermission, FilePermissionRequest } from "./file_write/write.ts";
import { call, refusal, scratch } from "./sandbox/scratch_test.ts";

function writer(lab: { workspace: string }, permission: FilePermission = () => true) {
  return fileWrite({ ...lab, permission });
}

async function names(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name)).sort();
}

Deno.test("file_write creates, overwrites, appends and replaces", async () => {
  await using lab = await scratch();
  const write = async (mode: string, content: string, rest: object = {}) => {
    const input = { path: "notes/today/a.txt", mode, content, ...rest };
    const { size_bytes } = Object(await call(writer(lab), input));
    const text = await Deno.readTextFile(lab.at("notes/today/a.txt"));
    assertEquals(size_bytes, new TextEncoder().encode(text).length);
    return text;
  };
  assertEquals(await write("create", "one\n"), "one\n");
  assertEquals(await write("append", "two é\n"), "one\ntwo é\n");
  assertEquals(await write("replace", "$& 2", { old_text: "two" }), "one\n$& 2 é\n");
  assertEquals(await write("overwrite", ""), "");
  assertEquals(await names(lab.at("notes/today")), ["a.txt"]);
});

Deno.test("file_write appends to and overwrites what is not there yet", async () => {
  await using lab = await scratch();
  for (const mode of ["append", "overwrite"]) {
    await call(writer(lab), { path: mode, mode, content: mode });
    assertEquals(await Deno.readTextFile(lab.at(mode)), mode);
  }
});

Deno.test("file_write says why it changed nothing, and changes nothing", async () => {
  const files = { "a.txt": "aaa", "b": "x\0" };
  await using lab = await scratch(files);
  await Deno.mkdir(lab.at("folder"));
  await Deno.writeTextFile(lab.at("linked"), "linked");
  await Deno.link(lab.at("linked"), lab.at("other"));
  await Deno.symlink("nowhere", lab.at("dangling"));
  const fails = async (path: string, mode: string, code: string, rest: object = {}) =>
    await refusal(writer(lab), { path, mode, content: "new", ...rest }, code);
  const old = (old_text: string) => ({ old_text });
  await fails("a.txt", "create", "file_exists");
  await fails("a.txt", "replace", "text_not_found", old("b"));
  await fails("a.txt", "replace", "text_not_unique", old("aa"));
  await fails("gone", "replace", "file_not_found", old("a"));
  await fails("b", "append", "binary_file");
  await fails("folder", "overwrite", "not_a_file");
  await fails("linked", "overwrite", "hard_linked");
  await fails("dangling", "create", "not_a_file");
  await fails("a.txt/b", "create", "not_a_folder");
  await fails("a.txt", "replace", "invalid_tool_arguments");
  await fails("a.txt", "append", "invalid_tool_arguments", old("a"));
  await fails(".env", "append", "file_denied");
  await fails("big", "create", "file_too_large", { content: "x".repeat(2 ** 24 + 1) });
  assertEquals(await Deno.readTextFile(lab.at("a.txt")), "aaa");
  assertEquals(await names(lab.workspace), ["a.txt", "b", "dangling", "folder", "linked", "other"]);
});

Deno.test("file_write refuses to read or grow a file that is too large", async () => {
  await using lab = await scratch({ "big": "", "full": "x".repeat(2 ** 24) });
  await Deno.truncate(lab.at("big"), 2 ** 30);
  for (const path of ["big", "full"]) {
    await refusal(writer(lab), { path, mode: "append", content: "x" }, "file_too_large");
  }
});

Deno.test("file_write keeps the permissions of a file", async () => {
  await using lab = await scratch({ "run.sh": "" });
  await Deno.chmod(lab.at("run.sh"), 0o750);
  await call(writer(lab), { path: "run.sh", mode: "overwrite", content: "x" });
  assertEquals(((await Deno.stat(lab.at("run.sh"))).mode ?? 0) & 0o777, 0o750);
});

Deno.test("file_write writes only after approval with true", async () => {
  await using lab = await scratch();
  const answers: FilePermission[] = [
    () => false,
    () => Promise.resolve(false),
    () => JSON.parse('"yes"'),
    () => JSON.parse('{"granted": true}'),
    () => {
      throw new Error("No");
    },
    () => Promise.reject(new Error("No")),
  ];
  const input = { path: "a/b.txt", mode: "create", content: "x" };
  for (const answer of answers) await refusal(writer(lab, answer), input, "permission_denied");
  await refusal(fileWrite(lab), input, "permission_denied");
  assertEquals(await names(lab.workspace), []);
});

Deno.test("the permission callback sees the call, all links resolved", async () => {
  await using lab = await scratch({ "real/a.txt": "old" });
  await Deno.symlink("real", lab.at("link"));
  const requests: FilePermissionRequest[] = [];
  const tool = writer(lab, (request) => {
    assert(Object.isFrozen(request));
    return requests.push(request) === 1;
  });
  await call(tool, { path: "link/a.txt", mode: "replace", content: "né", old_text: "old" });
  assertEquals(requests.map(({ signal: _, ...request }) => request), [{
    root: lab.workspace,
    path: "real/a.txt",
    mode: "replace",
    exists: true,
    content: "né",
    oldText: "old",
    bytes: 3,
    toolCallId: "call_1",
  }]);
  assertEquals(await Deno.readTextFile(lab.at("real/a.txt")), "né");
});

Deno.test("a folder that is swapped after the approval does not redirect the write", async () => {
  await using lab = await scratch({ "folder/a.txt": "old" });
  const tool = writer(lab, async () => {
    await Deno.rename(lab.at("folder"), lab.at("away"));
    await Deno.symlink("..", lab.at("folder"));
    return true;
  });
  const input = { path: "folder/outside.txt", mode: "overwrite", content: "changed" };
  await refusal(tool, input, "not_a_folder");
  assertEquals(await Deno.readTextFile(lab.at("../outside.txt")), "outside");
});

Deno.test("file_write does not write once it is not wanted any more", async () => {
  await using lab = await scratch();
  const controller = new AbortController();
  const tool = writer(lab, () => {
    controller.abort(new Error("Enough"));
    return true;
  });
  const input = { path: "a.txt", mode: "create", content: "x" };
  await assertRejects(() => call(tool, input, controller.signal), Error, "Enough");
  assertEquals(await names(lab.workspace), []);
});

Deno.test("file_write loses nothing of what is written at once", async () => {
  await using lab = await scratch({ "a.txt": "[0][1][2][3]" });
  const tools = [writer(lab), writer(lab)];
  const all = [0, 1, 2, 3].flatMap((n) => {
    const tool = tools[n % 2] ?? writer(lab);
    const replace = { mode: "replace", old_text: `[${n}]`, content: `<${n}>` };
    return [
      call(tool, { path: "a.txt", ...replace }),
      call(tool, { path: "log.txt", mode: "append", content: `${n}\n` }),
    ];
  });
  await Promise.all(all);
  assertEquals(await Deno.readTextFile(lab.at("a.txt")), "<0><1><2><3>");
  assertEquals((await Deno.readTextFile(lab.at("log.txt"))).split("\n").sort().join(""), "0123");
  assertEquals(await names(lab.workspace), ["a.txt", "log.txt"]);
});

Deno.test("file_write replaces no file that was not there when it was approved", async () => {
  await using lab = await scratch();
  const tool = writer(lab, async ({ exists }) => {
    await Deno.writeTextFile(lab.at("a.txt"), "the user's own");
    return !exists;
  });
  const input = { path: "a.txt", mode: "overwrite", content: "x" };
  await refusal(tool, input, "file_changed");
  assertEquals(await Deno.readTextFile(lab.at("a.txt")), "the user's own");
});

Deno.test("file_write never splits a character", async () => {
  await using lab = await scratch({ "a.txt": "a😀b" });
  const half = "😀".slice(0, 1);
  const wrong = [
    { path: "b.txt", mode: "create", content: half },
    { path: "a.txt", mode: "append", content: half },
    { path: "a.txt", mode: "replace", old_text: half, content: "x" },
  ];
  for (const input of wrong) await refusal(writer(lab), input, "invalid_tool_arguments");
  const cut = new Uint8Array([97, 0xe2, 0x82]);
  await Deno.writeFile(lab.at("cut.txt"), cut);
  await refusal(writer(lab), { path: "cut.txt", mode: "append", content: "x" }, "binary_file");
  assertEquals(await Deno.readFile(lab.at("cut.txt")), cut);
  assertEquals(await names(lab.workspace), ["a.txt", "cut.txt"]);
});

Deno.test("file_write leaves write-protected files alone, for the administrator too", async () => {
  await using lab = await scratch({ "a.txt": "kept" });
  await Deno.chmod(lab.at("a.txt"), 0o444);
  for (const mode of ["overwrite", "append"]) {
    await refusal(writer(lab), { path: "a.txt", mode, content: "x" }, "access_denied");
  }
  assertEquals(await Deno.readTextFile(lab.at("a.txt")), "kept");
});

Deno.test({
  name: "file_write gives no file to another owner",
  ignore: Deno.build.os === "windows" || Deno.uid() !== 0,
  async fn() {
    await using lab = await scratch({ "a.txt": "old" });
    await Deno.chown(lab.at("a.txt"), 1, 2);
    await call(writer(lab), { path: "a.txt", mode: "overwrite", content: "new" });
    const { uid, gid } = await Deno.stat(lab.at("a.txt"));
    assertEquals([uid, gid], [1, 2]);
  },
});

Deno.test("file_write writes text unchanged: signs of patterns, line ends, byte order marks", async () => {
  const text = "\ufeffone\r\n(a|b)* $1 $& $$ \\n\r\nend";
  await using lab = await scratch({ "a.txt": text });
  const replace = (old_text: string, content: string) =>
    call(writer(lab), { path: "a.txt", mode: "replace", old_text, content });
  await replace("(a|b)* $1 $& $$ \\n", "$1 $& $` $' $$ .*");
  const expected = text.replace("(a|b)* $1 $& $$ \\n", () => "$1 $& $` $' $$ .*");
  assertEquals(await Deno.readTextFile(lab.at("a.txt")), expected);
  const message = await refusal(
    writer(lab),
    { path: "a.txt", mode: "replace", old_text: "one\n$1", content: "" },
    "text_not_found",
  );
  assertEquals(message.endsWith("the lines of this file end in \\r\\n"), true, message);
});

Deno.test("an endless wait for the permission is one, and no limit of nothing is taken", async () => {
  await using lab = await scratch();
  const permission = () => new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 20));
  const tool = fileWrite({ ...lab, permission, permissionTimeoutMs: Infinity });
  await call(tool, { path: "a.txt", mode: "create", content: "x" });
  assertEquals(await names(lab.workspace), ["a.txt"]);
  assertThrows(() => fileWrite({ permissionTimeoutMs: 0 }), RangeError, "permissionTimeoutMs 0");
});

Deno.test("without all permissions and trust, nothing is written below the workspace's own folder", async () => {
  await using lab = await scratch({ "folder/a.txt": "a" });
  const requests: unknown[] = [];
  const { workspace } = lab;
  const careful = fileWrite({ workspace, permission: (request) => requests.push(request) > 0 });
  const write = { mode: "overwrite", content: "b" };
  for (const path of ["folder/a.txt", "folder/b.txt", "new/c.txt"]) {
    const message = await refusal(careful, { path, ...write }, "workspace_unsafe");
    assert(message.includes(`into the folder "${path.split("/")[0]}"`), message);
    assert(message.includes("--allow-all") && message.includes("fileTrust: true"), message);
  }
  assertEquals(requests, []);
  assertEquals(await names(workspace), ["folder"]);
  await call(careful, { path: "d.txt", ...write });
  assertEquals(await names(workspace), ["d.txt", "folder"]);
});
