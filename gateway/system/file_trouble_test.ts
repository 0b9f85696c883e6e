import { assertEquals } from "@std/assert";
import { fileTrouble } from "./file_trouble.ts";

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

Deno.test(
  "fileTrouble() leaves out what the runtime adds",
  // The sentences are those of Linux and macOS.
  { ignore: Deno.build.os === "windows" },
  () => {
    const absent = thrownBy(() => Deno.readTextFileSync("/no/such/file"));
    assertEquals(fileTrouble(absent), "No such file or directory");
    assertEquals(fileTrouble(thrownBy(() => Deno.readTextFileSync("/"))), "Is a directory");
  },
);

Deno.test("fileTrouble() keeps what it does not know", () => {
  assertEquals(fileTrouble(new Error("It is (os error) odd")), "It is (os error) odd");
  assertEquals(fileTrouble("a text"), "a text");
  const special = 'Requires all access to "/dev/full", run again with the --allow-all flag';
  assertEquals(fileTrouble(new Error(special)), "It is a device or another special file");
});
