import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../tool.ts";
import { type Folder, statusOf } from "./folder.ts";
import { createFolder } from "./temporary_file.ts";
import { scratch } from "./scratch_test.ts";
import { TrustedFolder } from "./trusted_folder.ts";
import { WatchedFolder } from "./watched_folder.ts";

async function watched(path: string): Promise<Folder> {
  return new WatchedFolder(path, await statusOf(path));
}

Deno.test("entries seen while the folder changed are read again", async () => {
  await using lab = await scratch({ "folder/a.txt": "" });
  const folder = await (await watched(lab.workspace)).enter("folder");
  let looks = 0;
  const seen = await folder.readSteadily(async () => {
    if (++looks === 1) {
      // A swap and back, as a race would have it, in the folder above.
      await Deno.rename(lab.at("folder"), lab.at("away"));
      await Deno.rename(lab.at("away"), lab.at("folder"));
    }
    return looks;
  });
  assertEquals(seen, 2);
});

Deno.test("modification times that are set back hide no change", async () => {
  await using lab = await scratch({ "folder/a.txt": "", "a.txt": "" });
  const folder = await (await watched(lab.workspace)).enter("folder");
  const long = new Date(2020, 1);
  const paths = [lab.workspace, lab.at("folder")];
  const hide = () => Promise.all(paths.map((path) => Deno.utime(path, long, long)));
  await hide();
  let looks = 0;
  await folder.readSteadily(async () => {
    if (++looks > 1) return;
    await Deno.rename(lab.at("folder"), lab.at("away"));
    await Deno.rename(lab.at("away"), lab.at("folder"));
    await hide();
  });
  assertEquals(looks, 2);
});

Deno.test("a change within the second of the reported modification time hides no other", async () => {
  await using lab = await scratch({ "a.txt": "" });
  const folder = await watched(lab.workspace);
  await Deno.writeTextFile(lab.at("b.txt"), "");
  const { ctime } = await Deno.lstat(lab.workspace);
  const looked = await folder.readSteadily(() => Promise.resolve(Date.now()));
  assert(ctime !== null && looked >= ctime.getTime() + 1_000);
});

Deno.test("a folder that never rests is given up", async () => {
  await using lab = await scratch();
  const folder = await watched(lab.workspace);
  let looks = 0;
  const busy = () => Deno.writeTextFile(lab.at(`${++looks}`), "");
  const error = await assertRejects(() => folder.readSteadily(busy), ToolError, "keeps changing");
  assertEquals(error.code, "workspace_busy");
});

Deno.test("a root that was replaced is not the root", async () => {
  await using lab = await scratch({ "a.txt": "" });
  const folder = await watched(lab.workspace);
  await Deno.rename(lab.workspace, lab.at("../away"));
  await Deno.mkdir(lab.workspace);
  await assertRejects(
    () => folder.readSteadily(() => statusOf(folder.at("a.txt"))),
    Error,
    "Not a folder",
  );
});

Deno.test("a link is not entered", async () => {
  await using lab = await scratch();
  await Deno.symlink("..", lab.at("up"));
  const folder = await watched(lab.workspace);
  await assertRejects(() => folder.enter("up"), Error, "Not a folder");
});

Deno.test("a file that was opened elsewhere is not held", async () => {
  await using lab = await scratch({ "a.txt": "" });
  const folder = await watched(lab.workspace);
  const inside = await statusOf(lab.at("a.txt"));
  const outside = await statusOf(lab.at("../outside.txt"));
  const opened = [
    { name: "a.txt", stats: outside },
    { name: "a.txt", stats: inside },
    { name: "gone", stats: inside },
  ];
  assertEquals(await folder.holds(opened), [false, true, false]);
});

Deno.test("a folder that is there already is entered, not made", async () => {
  await using lab = await scratch({ "inner/a.txt": "" });
  const folder = new TrustedFolder(lab.workspace);
  assertEquals((await createFolder(folder, "inner")).path, lab.at("inner"));
  assertEquals((await createFolder(folder, "new")).path, lab.at("new"));
  await assertRejects(() => createFolder(folder, "inner/a.txt"), Error, "Not a folder");
});

Deno.test("a folder that another call created first is entered", async () => {
  await using lab = await scratch({ "folder/a.txt": "", "file": "" });
  const make = (name: string) => {
    const late = new TrustedFolder(lab.workspace);
    const { enter } = late;
    late.enter = () => {
      late.enter = enter;
      return Promise.reject(Object.assign(new Error("Gone"), { code: "ENOENT" }));
    };
    return createFolder(late, name);
  };
  assertEquals((await make("folder")).path, lab.at("folder"));
  await assertRejects(() => make("file"), Error, "Not a folder");
});
