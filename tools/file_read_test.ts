import { assertEquals, assertRejects } from "@std/assert";
import { fileRead } from "./file_read.ts";
import { call, refusal, scratch } from "./sandbox/scratch_test.ts";

Deno.test("file_read cuts after a line, and continues from there to the end", async () => {
  const lines = Array.from({ length: 30_000 }, (_, n) => `line ${n} é\n`);
  await using lab = await scratch({ "a.txt": lines.join("") });
  let [text, next]: [string, number | undefined] = ["", 1];
  while (next !== undefined) {
    const part: unknown = await call(fileRead(lab), { path: "a.txt", start_line: next });
    const { content, next_line } = Object(part);
    text += content;
    next = next_line;
  }
  assertEquals(text, lines.join(""));
});

Deno.test("file_read says that its workspace is none", async () => {
  await using lab = await scratch({ "a.txt": "a" });
  await refusal(fileRead({ workspace: lab.at("a.txt") }), { path: "x" }, "no_workspace");
  await refusal(fileRead({ workspace: lab.at("gone") }), { path: "x" }, "file_not_found");
});

Deno.test("file_read ends when it is not wanted any more", async () => {
  await using lab = await scratch({ "a.txt": "a" });
  const signal = AbortSignal.abort(new Error("Enough"));
  await assertRejects(() => call(fileRead(lab), { path: "a.txt" }, signal), Error, "Enough");
});

Deno.test("a workspace may be given by a link, and paths by either name of it", async () => {
  await using lab = await scratch({ "a.txt": "a" });
  await Deno.symlink("workspace", lab.at("../link"));
  const tool = fileRead({ workspace: lab.at("../link") });
  for (const path of ["a.txt", lab.at("a.txt"), lab.at("../link/a.txt")]) {
    assertEquals(Object(await call(tool, { path })).path, "a.txt");
  }
  await refusal(tool, { path: lab.at("../linked/a.txt") }, "outside_workspace");
});

Deno.test("a workspace whose root is replaced is closed", async () => {
  await using lab = await scratch({ "a.txt": "a" });
  const tool = fileRead(lab);
  await call(tool, { path: "a.txt" });
  await Deno.rename(lab.workspace, lab.at("../away"));
  await Deno.mkdir(lab.workspace);
  await Deno.writeTextFile(lab.at("a.txt"), "another");
  await refusal(tool, { path: "a.txt" }, "not_a_folder");
  await Deno.remove(lab.workspace, { recursive: true });
  await Deno.symlink("..", lab.workspace);
  await refusal(tool, { path: "outside.txt" }, "outside_workspace");
});
