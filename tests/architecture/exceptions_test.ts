import { assertEquals } from "@std/assert";
import { files, isCode, read } from "./house.ts";

/**
 * Where the linter is told to look away, each with the reason it gives there. The list may only
 * become shorter: a new entry is a decision for review.
 */
const EXCEPTIONS: readonly string[] = [
  "gateway/upstreams/openai_compatible/failure.ts: no-control-regex: they are what is looked for",
];

/** Rules without exceptions. */
const NEVER = ["no-explicit-any", "house/pure-domain", "house/environment-at-the-edge"];

interface Waiver {
  readonly where: string;
  readonly rules: string[];
  readonly reason: string | undefined;
}

async function waivers(): Promise<Waiver[]> {
  const found: Waiver[] = [];
  for (const path of await files()) {
    if (!isCode(path)) continue;
    const directives = (await read(path)).matchAll(/^\s*\/\/ deno-lint-ignore(?:-file)?\b(.*)$/gm);
    for (const [, text = ""] of directives) {
      const [rules = "", reason] = text.split(" -- ");
      found.push({ where: path, rules: rules.split(/[\s,]+/).filter(Boolean), reason });
    }
  }
  return found;
}

Deno.test("every exception to a rule is known, names the rule and says why", async () => {
  const found = await waivers();
  assertEquals(
    found.map(({ where, rules, reason }) => `${where}: ${rules.join(" ")}: ${reason ?? "?"}`),
    [...EXCEPTIONS],
  );
  assertEquals(found.filter(({ rules, reason }) => rules.length === 0 || !reason?.trim()), []);
});

Deno.test("some rules have no exceptions", async () => {
  const found = await waivers();
  assertEquals(found.filter(({ rules }) => rules.some((rule) => NEVER.includes(rule))), []);
});

Deno.test("the type checker is never told to look away", async () => {
  const found: string[] = [];
  for (const path of await files()) {
    if (isCode(path) && /@ts-(ignore|nocheck|expect-error)/.test(await read(path))) {
      found.push(path);
    }
  }
  assertEquals(found.filter((path) => !path.endsWith("_test.ts")), []);
});
