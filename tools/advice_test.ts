/** Every form that a description or a refusal advises must be taken: a model writes what it reads. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { calculator } from "./calculator.ts";
import { datetime } from "./datetime.ts";
import { fileSearch } from "./file_search.ts";
import { call, scratch } from "./sandbox/scratch_test.ts";
import { shell } from "./shell.ts";
import { type Tool, ToolError } from "./tool.ts";

const quote = (text: string): string[] =>
  [...text.matchAll(/"([^"]+)"/g)].map(([, form = ""]) => form);

function parameterText({ parameters }: Tool, name: string): string {
  return String(Object(parameters.properties)[name].description);
}

/** A form with values for the names that stand for any number. */
function filled(form: string): string {
  return form.replace("base = ", "").replaceAll(/\b(?:[xy]|deg|rad|places)\b/g, "7")
    .replaceAll(/\b[nk]\b/g, "3");
}

async function compute(expression: string): Promise<string> {
  return Object(await call(calculator(), { expression })).result;
}

Deno.test("the calculator takes each form of its description", async () => {
  const { description = "" } = calculator();
  const written = ["2 * pi", "200 * (1 + 10%)", "1234.5", "1,234.5", "1.5e-7", "0xff"];
  for (const form of written) assert(description.includes(form), form);
  const [, functions = ""] = /Functions: ([^:]+)\./.exec(description) ?? [];
  const calls = functions.replaceAll(/ \([a-z ]+\)/g, "").split(/, (?![^(]*\))/)
    .map((form) => form.includes("(") ? form : `${form}(1)`);
  const [, constants = ""] = /Constants: ([^.]+)\./.exec(description) ?? [];
  const others = [...quote(description), ...quote(parameterText(calculator(), "expression"))];
  const forms = [...written, ...calls, ...constants.split(", "), ...others];
  assert(forms.length > 45);
  for (const form of forms) assert((await compute(filled(form))).length > 0, form);
  assertEquals(await compute("200 * (1 + 10%)"), "220");
});

Deno.test("the calculator takes each form that its refusals advise", async () => {
  for (const refused of ["200 + 10%", "200 - 10%", "10 % -3", "5!!", "(-8)^(1/3)"]) {
    const { message } = await assertRejects(() => compute(refused), ToolError);
    const advised = message.match(/\w+\(\w, \w\)|\w \* \([^)]+\)|\(\w!\)!/g) ?? [];
    assert(advised.length > 0, message);
    for (const form of advised) assert((await compute(filled(form))).length > 0, form);
  }
});

Deno.test("datetime takes each form of time, duration, zone and language that it advises", async () => {
  const tool = datetime({ now: () => Date.UTC(2026, 2, 29) });
  const times = quote(parameterText(tool, "datetime")).map((form) =>
    form === "@" ? "@1774742400" : form
  );
  assertEquals(times.length, 8);
  const until = "2026-04-01";
  for (const time of times) await call(tool, { operation: "difference", datetime: time, until });
  const durations = quote(parameterText(tool, "duration"));
  assertEquals(durations.length, 2);
  for (const duration of durations) await call(tool, { operation: "add", duration });
  const [zone] = quote(parameterText(tool, "zone"));
  const [locale] = quote(parameterText(tool, "locale"));
  await call(tool, { operation: "now", zone, to_zone: zone, locale });
});

Deno.test("shell takes the command line and the arguments that it advises", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using lab = await scratch({ "src/main.c": "int main", "my folder/a.txt": "" });
  const tool = shell({ workspace: lab.workspace, permission: () => true });
  const [command] = quote(parameterText(tool, "command"));
  const args = quote(parameterText(tool, "args"));
  const results = [await call(tool, { command }), await call(tool, { args })];
  assertEquals(results.map((result) => Object(result).exit_code), [0, 0]);
  assert(results.every((result) => Object(result).stdout.includes("a")));
});

Deno.test("file_search takes the globs that it advises", async () => {
  await using lab = await scratch({ "src/a.ts": "", "src/in/b.tsx": "", "c.ts": "" });
  const tool = fileSearch(lab);
  const globs = parameterText(tool, "glob").match(/[^\s,]*\*[^\s,{]*(?:\{[^}]+\})?/g) ?? [];
  const results = await Promise.all(globs.map((glob) => call(tool, { glob })));
  assertEquals(results.map((result) => Object(result).files), [
    ["c.ts", "src/a.ts"],
    ["src/a.ts", "src/in/b.tsx"],
  ]);
});
