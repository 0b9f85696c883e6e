import { assertEquals } from "@std/assert";
import { files, isCode, read } from "./source_files.ts";

/**
 * The suppressed findings of the linter, each with its reason. The list may only become shorter: a
 * new entry is a decision for review.
 */
const EXCEPTIONS: readonly string[] = [
  "gateway/upstreams/openai_compatible/failure.ts: no-control-regex: they are what is searched for",
];

/** Rules without exceptions. */
const NEVER = ["no-explicit-any", "svc/pure-domain", "svc/environment-at-the-edge"];

interface Waiver {
  readonly where: string;
  readonly rules: string[];
  readonly reason: string | undefined;
}

/** Finds the linter's directives in any comment, also behind code. */
function waiversIn(where: string, source: string): Waiver[] {
  const directives = source.matchAll(/\/\/\s*deno-lint-ignore(?:-file)?\b(.*)$/gm);
  return [...directives].map(([, text = ""]) => {
    const [rules = "", reason] = text.split(" -- ");
    return { where, rules: rules.split(/[\s,]+/).filter(Boolean), reason };
  });
}

async function waivers(): Promise<Waiver[]> {
  const matches = (await files()).filter(isCode).map(async (path) =>
    waiversIn(path, await read(path))
  );
  return (await Promise.all(matches)).flat();
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
  const matches = await waivers();
  assertEquals(
    matches.map(({ where, rules, reason }) => `${where}: ${rules.join(" ")}: ${reason ?? "?"}`),
    [...EXCEPTIONS],
  );
  assertEquals(matches.filter(({ rules, reason }) => rules.length === 0 || !reason?.trim()), []);
});

Deno.test("some rules have no exceptions", async () => {
  const matches = await waivers();
  assertEquals(matches.filter(({ rules }) => rules.some((rule) => NEVER.includes(rule))), []);
});

Deno.test("no comment disables the type checker", async () => {
  const matches: string[] = [];
  for (const path of await files()) {
    if (isCode(path) && /@ts-(ignore|nocheck|expect-error)/.test(await read(path))) {
      matches.push(path);
    }
  }
  assertEquals(matches.filter((path) => !path.endsWith("_test.ts")), []);
});
