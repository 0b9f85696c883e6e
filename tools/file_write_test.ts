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
