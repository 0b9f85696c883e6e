import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { fileRead } from "./file_read.ts";
import { call, refusal, scratch } from "./sandbox/scratch_test.ts";

Deno.test("file_read returns a file whole and unchanged", async () => {
  const text = "\ufeffone\r\ntwo\n\nfour";
  await using lab = await scratch({ "src/a.txt": text });
  const expected = { content: text, start_line: 1, truncated: false, total_lines: 4 };
  for (const path of ["src/a.txt", "./src/../src/a.txt", lab.at("src/a.txt")]) {
    assertEquals(await call(fileRead(lab), { path }), {
      path: "src/a.txt",
      ...expected,
      size_bytes: new TextEncoder().encode(text).length,
    });
  }
});

Deno.test("file_read returns lines, and says where the file ends", async () => {
  await using lab = await scratch({ "a.txt": "1\n2\n3\n4\n", "empty": "" });
  const read = (range: object) => call(fileRead(lab), { path: "a.txt", ...range });
  const base = { path: "a.txt", size_bytes: 8, truncated: false };
  assertEquals(await read({ start_line: 2, end_line: 3 }), {
    ...base,
    content: "2\n3\n",
    start_line: 2,
  });
  assertEquals(await read({ start_line: 4 }), {
    ...base,
    content: "4\n",
    start_line: 4,
    total_lines: 4,
  });
  assertEquals(await read({ start_line: 9 }), {
    ...base,
    content: "",
    start_line: 9,
    total_lines: 4,
  });
  assertEquals(await call(fileRead(lab), { path: "empty" }), {
    path: "empty",
    content: "",
    start_line: 1,
    truncated: false,
    total_lines: 0,
    size_bytes: 0,
  });
});

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

Deno.test("file_read cuts a line that is too long, and continues with the next", async () => {
  await using lab = await scratch({ "a.txt": `${"x".repeat(200_000)}\nlast` });
  const { content, next_line } = Object(await call(fileRead(lab), { path: "a.txt" }));
  assertEquals([content.length, next_line], [50_000, 2]);
});

Deno.test("file_read refuses a file that is not text", async () => {
  await using lab = await scratch({ "zero": "a\0b" });
  await Deno.writeFile(lab.at("latin1"), new Uint8Array([0x61, 0xe9, 0x62]));
  await Deno.mkdir(lab.at("folder"));
  await Deno.writeFile(lab.at("cut"), new Uint8Array([0x61, 0xe2, 0x82]));
  for (const path of ["zero", "latin1", "cut"]) {
    await refusal(fileRead(lab), { path }, "binary_file");
  }
  await refusal(fileRead(lab), { path: "folder" }, "not_a_file");
  await refusal(fileRead(lab), { path: "." }, "not_a_file");
  await refusal(fileRead(lab), { path: "zero/inner" }, "not_a_folder");
});

Deno.test("file_read says what a model can do about a failure", async () => {
  await using lab = await scratch({ "a.txt": "a" });
  const message = await refusal(fileRead(lab), { path: "b\n.txt" }, "file_not_found");
  assertEquals(message, 'Cannot read "b\\n.txt": there is nothing of that name');
  await refusal(fileRead(lab), { path: "a.txt", start_line: 3, end_line: 2 }, "invalid_range");
  await refusal(fileRead(lab), { path: 1 }, "invalid_tool_arguments");
  await refusal(fileRead({ workspace: lab.at("a.txt") }), { path: "x" }, "no_workspace");
  await refusal(fileRead({ workspace: lab.at("gone") }), { path: "x" }, "file_not_found");
});

Deno.test("file_read keeps secrets closed, unless the application replaces the list", async () => {
  await using lab = await scratch({ ".env": "KEY=1", "open.txt": "open", ".env.example": "KEY=" });
  await Deno.symlink(".env", lab.at("link"));
  for (const path of [".env", "link"]) await refusal(fileRead(lab), { path }, "file_denied");
  await call(fileRead(lab), { path: ".env.example" });
  const other = fileRead({ ...lab, fileDeny: ["open.*"] });
  assertEquals(Object(await call(other, { path: ".env" })).content, "KEY=1");
  await refusal(other, { path: "open.txt" }, "file_denied");
});

Deno.test("file_read follows links inside, and no link to the outside", async () => {
  await using lab = await scratch({ "a.txt": "a" });
  await Deno.symlink("a.txt", lab.at("inside"));
  await Deno.symlink("../outside.txt", lab.at("outside"));
  assertEquals(Object(await call(fileRead(lab), { path: "inside" })).path, "a.txt");
  const message = await refusal(fileRead(lab), { path: "outside" }, "outside_workspace");
  assertStringIncludes(message, "leads outside the workspace");
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
