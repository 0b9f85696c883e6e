import { assertEquals } from "@std/assert";
import { fileErrorText } from "./file_error_text.ts";

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

Deno.test(
  "fileErrorText() leaves out what the runtime adds",
  // The sentences are those of Linux and macOS.
  { ignore: Deno.build.os === "windows" },
  () => {
    const absent = thrownBy(() => Deno.readTextFileSync("/no/such/file"));
    assertEquals(fileErrorText(absent), "No such file or directory");
    assertEquals(fileErrorText(thrownBy(() => Deno.readTextFileSync("/"))), "Is a directory");
  },
);

Deno.test("fileErrorText() keeps what it does not know", () => {
  assertEquals(fileErrorText(new Error("It is (os error) odd")), "It is (os error) odd");
  assertEquals(fileErrorText("a text"), "a text");
  const special = 'Requires all access to "/dev/full", run again with the --allow-all flag';
  assertEquals(fileErrorText(new Error(special)), "It is a device or another special file");
});
