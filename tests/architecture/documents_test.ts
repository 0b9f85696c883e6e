/**
 * The documents that people read: their length, their links, and every path, task, command, variable
 * and field that they name.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import type { CliIo } from "../../gateway/cli/io.ts";
import { runCli } from "../../gateway/cli/run.ts";
import { configJsonSchema } from "../../gateway/config/schema_json.ts";
import { SERVE_VARIABLES } from "../../gateway/config/settings.ts";
import { COMMAND_VARIABLES } from "../../gateway/config/variables.ts";
import { anchorsOf, blocksOf, linksOf, pathsIn, proseOf } from "./markdown.ts";
import { files, read, ROOT } from "./source_files.ts";

/** Largest picture of a page, in bytes. */
const PICTURE_MAX_BYTES = 200_000;

const all = await files();
const known = new Set(all.flatMap((path) => [path, ...foldersAbove(path)]));
const names = all.filter((path) => path.endsWith(".md") && !path.startsWith("tests/fixtures/"));
const documents = new Map(
  await Promise.all(names.map(async (name) => [name, await read(name)] as const)),
);
/** A changelog names what was there at its time. */
const current = [...documents].filter(([name]) => name !== "CHANGELOG.md");

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === "." ? [] : [folder, ...foldersAbove(folder)];
}

function textOf(name: string): string {
  const text = documents.get(name);
  assert(text !== undefined, `There is no ${name}`);
  return text;
}

function lines(text: string): number {
  return text.trimEnd().split("\n").length;
}

/** Returns the output of a command that needs no gateway, such as `help`. */
async function output(args: readonly string[]): Promise<string> {
  let text = "";
  const io: CliIo = {
    env: {},
    fetch: () => Promise.reject(new Error("There is no gateway")),
    stdout: (part) => void (text += part),
    stderr: (part) => void (text += part),
    readFile: () => Promise.reject(new Error("There is no file")),
    readBytes: () => Promise.reject(new Error("There is no file")),
    createFile: () => Promise.reject(new Error("There is no file")),
    isTerminal: false,
    columns: 80,
    confirm: () => Promise.resolve(false),
    readSecret: () => Promise.resolve(""),
    readCredentials: () => Promise.resolve(undefined),
  };
  await runCli(args, io);
  return text;
}

const COMMANDS = [...(await output(["help"])).matchAll(/^ {2}svc ([a-z-]+(?: [a-z-]+)*)/gm)]
  .map(([, words = ""]) => words);

/** A call of `svc` in a document. */
interface SvcCall {
  readonly words: string;
  readonly flags: readonly string[];
}

/** Returns the calls of `svc` in code, each with its command and its flags. */
function svcCalls(text: string): SvcCall[] {
  const code = [
    ...blocksOf(text).map((block) => block.text),
    ...[...proseOf(text).matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code),
  ].join("\n").replaceAll("\\\n", " ").replaceAll("\\|", "/");
  const calls = code.matchAll(/(?:^|[/\s"])svc((?: [a-z][a-z-]*)+)([^\n`|;&#)]*)/gm);
  return [...calls].flatMap(([, called = "", rest = ""]) => {
    const words = called.trim().split(" ");
    const flags = [...rest.matchAll(/--([a-z-]+)/g)].map(([, flag = ""]) => flag);
    const command = [words.slice(0, 2).join(" "), words[0] ?? ""].find((name) =>
      COMMANDS.includes(name)
    );
    return command === undefined ? [] : [{ words: command, flags }];
  });
}

Deno.test("README has 180 to 220 lines, CONTRIBUTING at most 170", () => {
  const readme = lines(textOf("README.md"));
  assert(readme >= 180 && readme <= 220, `README.md has ${readme} lines`);
  const contributing = lines(textOf("CONTRIBUTING.md"));
  assert(contributing <= 170, `CONTRIBUTING.md has ${contributing} lines`);
});

Deno.test("a page begins with a sentence that names its readers", () => {
  const pages = [...documents].filter(([name]) => /^docs\/|^CONTRIBUTING/.test(name));
  assert(pages.length > 40);
  for (const [name, text] of pages) assertMatch(text, /^# .+\n\nFor [a-z]/, name);
});

Deno.test("every link and every anchor in the documents resolves", () => {
  const broken = [...documents].flatMap(([name, text]) =>
    linksOf(text).flatMap((link) => {
      if (/^[a-z]+:/.test(link)) return [];
      const [target = "", anchor] = link.split("#");
      const path = target === "" ? name : join(dirname(name), target).replaceAll("\\", "/");
      if (!known.has(path.replace(/\/$/, ""))) return [`${name}: ${link}`];
      if (anchor === undefined) return [];
      return anchorsOf(textOf(path)).has(anchor) ? [] : [`${name}: ${link}`];
    })
  );
  assertEquals(broken, []);
});

Deno.test("every path of the repository that a document names exists", () => {
  const missing = current.flatMap(([name, text]) =>
    pathsIn(text.replaceAll(/\]\([^)]*\)/g, "]"))
      .filter((path) => !known.has(path.replace(/\/$/, "")))
      .map((path) => `${name}: ${path}`)
  );
  assertEquals(missing, []);
});

Deno.test("every page can be reached from README, and every component has a page of decisions", () => {
  const reached = new Set(["README.md"]);
  for (const name of reached) {
    for (const link of linksOf(documents.get(name) ?? "")) {
      const path = join(dirname(name), link.split("#")[0] ?? "").replaceAll("\\", "/");
      if (documents.has(path)) reached.add(path);
    }
  }
  const pages = names.filter((name) => name.startsWith("docs/"));
  assertEquals(pages.filter((name) => !reached.has(name)), []);
  const components = new Set(all.flatMap((path) => /^gateway\/(\w+)\//.exec(path)?.[1] ?? []));
  const pagesWanted = [...components, "sdk", "sdk_go", "tools", "tests", "workspace"].sort();
  const decisions = pages.flatMap((name) => /^docs\/decisions\/(\w+)\.md$/.exec(name)?.[1] ?? []);
  assertEquals(decisions.sort(), pagesWanted);
});

Deno.test("every task that a document names exists", async () => {
  const { tasks } = JSON.parse(await read("deno.json"));
  const missing = current.flatMap(([name, text]) =>
    [...text.matchAll(/deno(?:@[\d.]+)? task(?: --[\w-]+)* ([a-z][\w:]*)/g)]
      .filter(([, task = ""]) => !Object.hasOwn(tasks, task))
      .map(([call]) => `${name}: ${call}`)
  );
  assertEquals(missing, []);
});

Deno.test("every call of svc in a document or a unit is one that the command line takes", async () => {
  const units = ["svc.service", "svc-backup.service", "svc-backup.timer", "Containerfile"]
    .map((name) => `ops/${name}`);
  const sources = [
    ...current,
    ...await Promise.all(units.map(async (unit) => {
      const text = await read(unit);
      return [unit, `\`\`\`\n${text}\n\`\`\``] as const;
    })),
  ];
  let checked = 0;
  for (const [name, text] of sources) {
    for (const { words, flags } of svcCalls(text)) {
      const help = await output(["help", ...words.split(" ")]);
      assertMatch(help, new RegExp(`^Usage: svc ${words}`), name);
      for (const flag of flags) {
        assertStringIncludes(help, `--${flag}`, `${name}: svc ${words} --${flag}`);
      }
      checked++;
    }
  }
  assert(checked > 100, `${checked} calls`);
});

Deno.test("docs/command-line.md has every command", () => {
  const page = textOf("docs/command-line.md");
  assert(COMMANDS.length > 40);
  const rows = [...page.matchAll(/^\| `svc ([a-z-]+(?: [a-z-]+)*)/gm)].map(([, words = ""]) =>
    words
  );
  assertEquals(rows.toSorted(), COMMANDS.toSorted());
});

Deno.test("docs/configuration.md has every variable, and no document has another", () => {
  const page = textOf("docs/configuration.md");
  const variables = new Set([...SERVE_VARIABLES, ...COMMAND_VARIABLES]);
  for (const name of variables) assertStringIncludes(page, `\`${name}\``);
  const client = ["SERVICE_API_BASE_URL", "SERVICE_OPENAI_BASE_URL"];
  const foreign = current.flatMap(([name, text]) =>
    [...text.matchAll(/\bSERVICE_[A-Z_]+\b/g)].map(([variable]) => variable)
      .filter((variable) => !variables.has(variable) && !client.includes(variable))
      .filter((variable) => !variable.startsWith("SERVICE_UPSTREAM_"))
      .map((variable) => `${name}: ${variable}`)
  );
  assertEquals(foreign, []);
});

/** Returns the names of all fields of a JSON Schema. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) => {
    const own = name === "properties" ? Object.keys(Object(value)) : [];
    return [...own, ...fieldsOf(value)];
  });
}

Deno.test("docs/configuration.md has every field of the configuration file", () => {
  const page = textOf("docs/configuration.md");
  const fields = new Set(fieldsOf(configJsonSchema()));
  assert(fields.size > 60);
  const missing = [...fields].filter((field) => !["en", "zh"].includes(field))
    .filter((field) => !new RegExp(`[\`.]${field}[\`\\[.]`).test(page));
  assertEquals(missing, []);
});

Deno.test("pictures are small", async () => {
  const pictures = all.filter((path) => path.startsWith("docs/images/"));
  assert(pictures.length > 0);
  for (const path of pictures) {
    assert((await Deno.stat(join(ROOT, path))).size <= PICTURE_MAX_BYTES, path);
  }
});

Deno.test("a broken link, a missing path and an unknown heading are found", () => {
  assertEquals(linksOf("[a](b.md#c) `[x](y)`\n```\n[d](e)\n```\n![f](g.png)"), ["b.md#c", "g.png"]);
  assertEquals(pathsIn("`gateway/x.ts`, @svc/tools/tool tests/a/{b,c}_test.ts. sdk/<name>.ts"), [
    "gateway/x.ts",
    "tests/a/b_test.ts",
    "tests/a/c_test.ts",
  ]);
  assertEquals([...anchorsOf("# A `b` (c)\n## A b c\n")], ["a-b-c", "a-b-c-1"]);
  assertEquals(svcCalls("`svc keys show ID --json`"), [{ words: "keys show", flags: ["json"] }]);
});
