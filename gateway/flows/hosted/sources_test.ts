import { assertEquals } from "@std/assert";
import { Sources } from "./sources.ts";

Deno.test("a page has one number however often it is found, each passage has its own", () => {
  const sources = new Sources();
  const page = { url: "https://a.example/", title: "A" };
  const file = { fileId: "file_1", filename: "a.txt" };
  assertEquals(sources.addPage(page), 1);
  assertEquals(sources.addPassage(file), 2);
  assertEquals(sources.addPage({ ...page, title: "Later" }), 1);
  assertEquals(sources.addPassage(file), 3);
  assertEquals(sources.list, [page, file, file]);
});
