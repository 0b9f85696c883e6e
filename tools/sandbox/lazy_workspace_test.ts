import { assert, assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { lazyWorkspace } from "./lazy_workspace.ts";
import { fileRead } from "../file_read.ts";
import { fileSearch } from "../file_search.ts";
import { fileWrite } from "../file_write.ts";
import { listDir } from "../list_dir.ts";
import { call, scratch } from "./scratch_test.ts";

Deno.test("first uses at once share one workspace, and so do all later ones", async () => {
  await using lab = await scratch();
  const workspace = lazyWorkspace(lab);
  const [one, other] = await Promise.all([workspace(), workspace()]);
  assertStrictEquals(one, other);
  assertStrictEquals(await workspace(), one);
  assertEquals(await one.root(), lab.workspace);
});

Deno.test("its options are those that it was made with", async () => {
  await using lab = await scratch();
  const options = { workspace: lab.workspace, fileDeny: ["secret"] };
  const workspace = lazyWorkspace(options);
  options.workspace = "/";
  options.fileDeny[0] = "other";
  const first = await workspace();
  assertEquals(await first.root(), lab.workspace);
  const isDenied = await first.denied();
  assertEquals([isDenied("secret"), isDenied("other")], [true, false]);
});

Deno.test("its deny list is checked at once, its folder with the first use", async () => {
  assertThrows(() => lazyWorkspace({ fileDeny: ["**/a/**/b/**"] }), TypeError, "Cannot deny");
  for (const wrong of ["secret", {}, null, [5]]) {
    assertThrows(() => lazyWorkspace(Object({ fileDeny: wrong })), TypeError, "list of patterns");
  }
  for (const workspace of ["", null, 5, {}, { path: "" }, { path: 5 }]) {
    assertThrows(() => lazyWorkspace(Object({ workspace })), TypeError, "it is not a path");
  }
  await using lab = await scratch();
  const workspace = await lazyWorkspace({ workspace: lab.at("gone") })();
  await assertRejects(() => workspace.root(), Error, "ENOENT");
});

Deno.test("tools that share a folder have one root, though its link is pointed elsewhere", async () => {
  await using lab = await scratch({ "one/a.txt": "one", "other/a.txt": "other" });
  await Deno.symlink("one", lab.at("link"));
  const folder = { path: lab.at("link") };
  const tools = [fileRead, fileSearch, listDir].map((make) =>
    make({ workspace: folder, fileTrust: true })
  );
  const write = fileWrite({ workspace: folder, fileTrust: true, permission: () => true });
  const [read, search, list] = tools;
  assert(read !== undefined && search !== undefined && list !== undefined);
  assertEquals(Object(await call(read, { path: "a.txt" })).content, "one");
  await Deno.remove(lab.at("link"));
  await Deno.symlink("other", lab.at("link"));
  folder.path = lab.at("other");
  assertEquals(Object(await call(search, { query: "o" })).matches[0].text, "one");
  await call(write, { path: "b.txt", mode: "create", content: "b" });
  assertEquals(Object(await call(list, {})).entries.length, 2);
  assertEquals([...Deno.readDirSync(lab.at("other"))].length, 1);
  // Another folder is another root.
  const fresh = fileRead({ workspace: { path: lab.at("link") }, fileTrust: true });
  assertEquals(Object(await call(fresh, { path: "a.txt" })).content, "other");
});

Deno.test("of tools that look at once, the first decides the root for all", async () => {
  await using lab = await scratch({ "one/a.txt": "one" });
  const folder = { path: lab.at("one") };
  const [one, other] = await Promise.all(
    [1, 2].map(() => lazyWorkspace({ workspace: folder, fileTrust: true })()),
  );
  assertEquals(await Promise.all([one?.root(), other?.root()]), [lab.at("one"), lab.at("one")]);
});
