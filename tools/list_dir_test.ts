import { assertEquals } from "@std/assert";
import { listDir } from "./list_dir.ts";
import { call, refusal, scratch } from "./sandbox/scratch_test.ts";

Deno.test("list_dir lists names, kinds and sizes, sorted", async () => {
  await using lab = await scratch({ "b.txt": "12345", "a/inner.txt": "" });
  await Deno.symlink("/", lab.at("c"));
  await new Deno.Command("mkfifo", { args: [lab.at("d")] }).output();
  assertEquals(await call(listDir(lab), {}), {
    path: ".",
    entries: [
      { name: "a", type: "folder" },
      { name: "b.txt", type: "file", size_bytes: 5 },
      { name: "c", type: "link" },
      { name: "d", type: "other" },
    ],
    truncated: false,
  });
  assertEquals(await call(listDir(lab), { path: "a" }), {
    path: "a",
    entries: [{ name: "inner.txt", type: "file", size_bytes: 0 }],
    truncated: false,
  });
});

Deno.test("list_dir returns no more than a model can read", async () => {
  const files = Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`${n}.txt`, ""]));
  await using lab = await scratch(files);
  const { entries, truncated } = Object(await call(listDir(lab), {}));
  assertEquals([entries.length, truncated], [500, true]);
});

Deno.test("list_dir refuses a path that is missing or not a folder", async () => {
  await using lab = await scratch({ "a.txt": "" });
  await refusal(listDir(lab), { path: "a.txt" }, "not_a_folder");
  await refusal(listDir(lab), { path: "b" }, "file_not_found");
  await refusal(listDir(lab), { path: ".." }, "outside_workspace");
});
