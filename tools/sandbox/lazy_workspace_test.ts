import { assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { lazyWorkspace } from "./lazy_workspace.ts";
import { scratch } from "./scratch_test.ts";

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
  const made = await workspace();
  assertEquals(await made.root(), lab.workspace);
  assertEquals([await made.isDenied("secret"), await made.isDenied("other")], [true, false]);
});

Deno.test("its deny list is checked at once, its folder with the first use", async () => {
  assertThrows(() => lazyWorkspace({ fileDeny: ["**/a/**/b/**"] }), TypeError, "Cannot deny");
  for (const wrong of ["secret", {}, null, [5]]) {
    assertThrows(() => lazyWorkspace(Object({ fileDeny: wrong })), TypeError, "list of patterns");
  }
  for (const workspace of ["", null, 5]) {
    assertThrows(() => lazyWorkspace(Object({ workspace })), TypeError, "it is not a path");
  }
  await using lab = await scratch();
  const workspace = await lazyWorkspace({ workspace: lab.at("gone") })();
  await assertRejects(() => workspace.root(), Error, "ENOENT");
});
