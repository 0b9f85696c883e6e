import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { CliFailure } from "../failures.ts";
import { createOutputFile, writeWhole } from "./output_file.ts";

const REPLACE = { force: true };
const KEEP = { force: false };

async function inFolder(
  test: (path: string, names: () => string[]) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(join(folder, "books"), () => [...Deno.readDirSync(folder)].map(({ name }) => name));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a file is there once it is complete", async () => {
  await inFolder(async (path, names) => {
    const file = await createOutputFile(path, KEEP);
    file.write("one ");
    assertEquals(names().includes("books"), false);
    file.write("two");
    await file.finish();
    await file.discard();
    assertEquals([Deno.readTextFileSync(path), names()], ["one two", ["books"]]);
    if (Deno.build.os !== "windows") assertEquals((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
  });
});

Deno.test("a withdrawn file leaves nothing behind", async () => {
  await inFolder(async (path, names) => {
    const file = await createOutputFile(path, KEEP);
    file.write("one");
    await file.discard();
    await file.discard();
    assertEquals(names(), []);
  });
});

Deno.test("a file that is there is replaced by force only", async () => {
  await inFolder(async (path, names) => {
    Deno.writeTextFileSync(path, "old");
    await assertRejects(() => createOutputFile(path, KEEP), CliFailure, "it exists");
    const file = await createOutputFile(path, REPLACE);
    file.write("new");
    assertEquals(Deno.readTextFileSync(path), "old");
    await file.finish();
    assertEquals([Deno.readTextFileSync(path), names()], ["new", ["books"]]);
  });
});

Deno.test("a file that came in between stays", async () => {
  await inFolder(async (path, names) => {
    const file = await createOutputFile(path, KEEP);
    Deno.writeTextFileSync(path, "somebody else's");
    await assertRejects(() => file.finish(), CliFailure, "it exists");
    await file.discard();
    assertEquals([Deno.readTextFileSync(path), names()], ["somebody else's", ["books"]]);
  });
});

Deno.test("a path that is not a regular file is never replaced; an unwritable path is reported", async () => {
  await inFolder(async (path) => {
    Deno.mkdirSync(path);
    await assertRejects(() => createOutputFile(path, REPLACE), CliFailure, "not a regular file");
    const nowhere = join(path, "no", "where");
    await assertRejects(() => createOutputFile(nowhere, KEEP), CliFailure, "Cannot write");
    if (Deno.build.os === "windows") return;
    const link = join(path, "link");
    Deno.symlinkSync(join(path, "target"), link);
    await assertRejects(() => createOutputFile(link, REPLACE), CliFailure, "not a regular file");
  });
});

Deno.test("a file written in pieces is complete; a full disk is reported", () => {
  let text = "";
  const slow = {
    writeSync(bytes: Uint8Array) {
      text += new TextDecoder().decode(bytes.subarray(0, 2));
      return Math.min(2, bytes.length);
    },
  };
  writeWhole(slow, new TextEncoder().encode("seven.."));
  assertEquals(text, "seven..");
  const full = {
    writeSync: (): number => {
      throw new Error("No space left on device");
    },
  };
  assertThrows(() => writeWhole(full, new Uint8Array(1)), Error, "No space left");
});
