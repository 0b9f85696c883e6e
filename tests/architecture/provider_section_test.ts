import { assert, assertEquals } from "@std/assert";
import { HEADING, providerSection } from "./provider_section.ts";

Deno.test("the README says of each provider kind what the code does", async () => {
  const readme = await Deno.readTextFile(new URL("../../README.md", import.meta.url));
  const start = readme.indexOf(`\n${HEADING}\n`) + 1;
  assert(start > 0, `README.md has no section "${HEADING}": run provider_section.ts beside this`);
  const end = readme.indexOf("\n## ", start);
  const section = readme.slice(start, end < 0 ? undefined : end);
  assertEquals(section.trimEnd(), providerSection().trimEnd());
});
