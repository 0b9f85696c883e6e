import { assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../tool.ts";
import { type Folder, holds, look } from "./folder.ts";
import { makeFile, makeFolder } from "./make_file.ts";
import { scratch } from "./scratch_test.ts";
import { WatchedFolder } from "./watched_folder.ts";

async function watched(path: string): Promise<Folder> {
  return new WatchedFolder(path, await look(path));
}

Deno.test("what was seen while the folder changed is looked at again", async () => {
  await using lab = await scratch({ "folder/a.txt": "" });
  const folder = await (await watched(lab.workspace)).enter("folder");
  let looks = 0;
  const seen = await folder.steady(async () => {
    if (++looks === 1) {
      // A swap and back, as a race would have it, in the folder above.
      await Deno.rename(lab.at("folder"), lab.at("away"));
      await Deno.rename(lab.at("away"), lab.at("folder"));
    }
    return looks;
  });
  assertEquals(seen, 2);
});

Deno.test("a time stamp that was set back by hand hides no change", async () => {
  await using lab = await scratch({ "a.txt": "" });
  const folder = await watched(lab.workspace);
  const long = new Date(2020, 1);
  let looks = 0;
  await Deno.utime(lab.workspace, long, long);
  await folder.steady(async () => {
    if (++looks > 1) return;
    await Deno.writeTextFile(lab.at("b.txt"), "");
    await Deno.utime(lab.workspace, long, long);
  });
  assertEquals(looks, 2);
});

Deno.test("a folder that never rests is given up", async () => {
  await using lab = await scratch();
  const folder = await watched(lab.workspace);
  let looks = 0;
  const busy = () => Deno.writeTextFile(lab.at(`${++looks}`), "");
  const error = await assertRejects(() => folder.steady(busy), ToolError, "keeps changing");
  assertEquals(error.code, "workspace_busy");
});

Deno.test("a root that was replaced is not the root", async () => {
  await using lab = await scratch({ "a.txt": "" });
  const folder = await watched(lab.workspace);
  await Deno.rename(lab.workspace, lab.at("../away"));
  await Deno.mkdir(lab.workspace);
  await assertRejects(() => folder.steady(() => look(folder.at("a.txt"))), Error, "Not a folder");
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
  assertEquals(await holds(folder, "a.txt", await look(lab.at("../outside.txt"))), false);
  assertEquals(await holds(folder, "a.txt", await look(lab.at("a.txt"))), true);
  assertEquals(await holds(folder, "gone", await look(lab.at("a.txt"))), false);
});

Deno.test("an empty file that a lost race made elsewhere is removed and reported", async () => {
  await using lab = await scratch({ "elsewhere/b.txt": "", "a.txt": "" });
  const folder = await lost(lab.workspace, lab.at("elsewhere"));
  const error = await assertRejects(() => makeFile(folder), ToolError, "has been removed");
  assertEquals(error.code, "workspace_moved");
  assertEquals([...Deno.readDirSync(lab.at("elsewhere"))].map(({ name }) => name), ["b.txt"]);
});

Deno.test("a folder that a lost race made elsewhere is removed and reported", async () => {
  await using lab = await scratch({ "elsewhere/b.txt": "", "a.txt": "" });
  const folder = await lost(lab.workspace, lab.at("elsewhere"));
  const made = () => makeFolder(folder, "new");
  const error = await assertRejects(made, ToolError, "has been removed");
  assertEquals(error.code, "workspace_moved");
  assertEquals([...Deno.readDirSync(lab.at("elsewhere"))].map(({ name }) => name), ["b.txt"]);
});

/** A folder whose entries are reached somewhere else, which is noticed after the first look. */
async function lost(path: string, elsewhere: string): Promise<Folder> {
  const inside = await watched(path);
  let checks = 0;
  return {
    path,
    at: (name) => `${elsewhere}/${name}`,
    enter: (name) => inside.enter(name),
    steady: (see) => ++checks === 1 ? see() : Promise.reject(gone()),
    close: () => inside.close(),
  };
}

function gone(): Error {
  return Object.assign(new Error("Gone"), { code: "ENOENT" });
}

Deno.test("a folder that is there already is entered, not made", async () => {
  await using lab = await scratch({ "inner/a.txt": "" });
  const folder = await watched(lab.workspace);
  assertEquals((await makeFolder(folder, "inner")).path, lab.at("inner"));
  assertEquals((await makeFolder(folder, "new")).path, lab.at("new"));
  await assertRejects(() => makeFolder(folder, "inner/a.txt"), Error, "Not a folder");
});

Deno.test("where another was quicker, its folder is entered, and nothing else is left", async () => {
  await using lab = await scratch({ "folder/a.txt": "", "file": "" });
  const inside = await watched(lab.workspace);
  const make = async (name: string) => {
    let looks = 0;
    const late: Folder = {
      path: inside.path,
      at: (name) => inside.at(name),
      enter: (name) => ++looks === 1 ? Promise.reject(gone()) : inside.enter(name),
      steady: (see) => inside.steady(see),
      close: () => inside.close(),
    };
    return await makeFolder(late, name);
  };
  assertEquals((await make("folder")).path, lab.at("folder"));
  await assertRejects(() => make("file"), Error, "rename");
  const left = [...Deno.readDirSync(lab.workspace)].map(({ name }) => name).sort();
  assertEquals(left, ["file", "folder"]);
});
