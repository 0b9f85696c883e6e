import { assertEquals } from "@std/assert";
import { files, isCode, read } from "./source_files.ts";

/**
 * Where the linter is told to look away, each with the reason it gives there. The list may only
 * become shorter: a new entry is a decision for review.
 */
const EXCEPTIONS: readonly string[] = [
  "gateway/upstreams/openai_compatible/failure.ts: no-control-regex: they are what is looked for",
];

/** Rules without exceptions. */
const NEVER = ["no-explicit-any", "svc/pure-domain", "svc/environment-at-the-edge"];

interface Waiver {
  readonly where: string;
  readonly rules: string[];
  readonly reason: string | undefined;
}

/** The linter takes its directives wherever a comment of a line has them, also after code. */
function waiversIn(where: string, source: string): Waiver[] {
  const directives = source.matchAll(/\/\/\s*deno-lint-ignore(?:-file)?\b(.*)$/gm);
  return [...directives].map(([, text = ""]) => {
    const [rules = "", reason] = text.split(" -- ");
    return { where, rules: rules.split(/[\s,]+/).filter(Boolean), reason };
  });
}

async function waivers(): Promise<Waiver[]> {
  const found = (await files()).filter(isCode).map(async (path) =>
    waiversIn(path, await read(path))
  );
  return (await Promise.all(found)).flat();
}

Deno.test("an exception is found wherever the linter takes one", () => {
  const ignore = "deno-lint-ignore";
  for (
    const source of [`// ${ignore} a -- b`, `f(); //  ${ignore}-file a -- b`, `//${ignore} a -- b`]
  ) {
    assertEquals(waiversIn("x.ts", source), [{ where: "x.ts", rules: ["a"], reason: "b" }]);
  }
});

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
