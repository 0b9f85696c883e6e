import { assertEquals } from "@std/assert";
import { files, isCode, read } from "./source_files.ts";

const EMPTY_NAMES = /(^|[_/.-])(utils?|helpers?|common|managers?|misc)([_/.-]|$)/i;

/** Home folders of a person; a few names are placeholders of examples. */
const MACHINE_PATHS = /\/(?:home|Users)\/(?!(?:user|alice|bob|you)\b)[\w.-]+|\/root\/|:\\Users\\/;

const REGISTRY_HOSTS = /registry\.(?:npmjs|yarnpkg)|npm\.(?:jsr|pkg)\.|\bartifactory\b|\bjfrog\b/;

/** Returns the lines that match, as `path:line`, of all files for which `where` is true. */
async function find(pattern: RegExp, where: (path: string) => boolean): Promise<string[]> {
  const matches: string[] = [];
  for (const path of (await files()).filter(where)) {
    const lines = (await read(path)).split("\n");
    lines.forEach((line, at) => pattern.test(line) && matches.push(`${path}:${at + 1}`));
  }
  return matches;
}

Deno.test("no file is called after nothing: utils, helpers, common, manager", async () => {
  assertEquals((await files()).filter((path) => EMPTY_NAMES.test(path)), []);
});

Deno.test("files of code are called in snake_case", async () => {
  const name = /(^|\/)[a-z0-9]+(_[a-z0-9]+)*(\.d)?\.tsx?$/;
  assertEquals((await files()).filter((path) => isCode(path) && !name.test(path)), []);
});

Deno.test("no file contains a path of a machine", async () => {
  assertEquals(await find(MACHINE_PATHS, () => true), []);
});

Deno.test("no file holds the host of a registry", async () => {
  assertEquals(await find(REGISTRY_HOSTS, () => true), []);
});

Deno.test("no code is left for later", async () => {
  assertEquals(await find(/\b(?:[T]ODO|[F]IXME|[X]XX)\b/, isCode), []);
});
