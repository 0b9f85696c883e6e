import { assert, assertEquals } from "@std/assert";
import { modules, packageOf, read, ROOT } from "./source_files.ts";

/** The part of `deno doc --json` that these tests read. */
interface Documentation {
  readonly nodes: Readonly<Record<string, { readonly symbols: readonly Documented[] }>>;
}

interface Documented {
  readonly name: string;
  /** A `reference` stands for a symbol that another entry point documents. */
  readonly declarations: readonly {
    readonly kind: string;
    readonly jsDoc?: { readonly doc?: string };
  }[];
}

const PUBLISHED = ["tools", "sdk"];

const entries = (await Promise.all(PUBLISHED.map(async (member) => {
  const { exports: paths } = JSON.parse(await read(`${member}/deno.json`));
  const listed: string[] = typeof paths === "string" ? [paths] : Object.values(paths);
  return listed.map((path) => `${member}/${path}`);
}))).flat();

/** Every symbol of the published entry points, at the place that documents it. */
async function documented(): Promise<Documented[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", ...entries],
    cwd: ROOT,
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  const { nodes }: Documentation = JSON.parse(new TextDecoder().decode(stdout));
  const symbols = Object.values(nodes).flatMap(({ symbols }) => symbols);
  assert(symbols.length > 300);
  return symbols.filter(({ declarations }) =>
    declarations.some(({ kind }) => kind !== "reference")
  );
}

const symbols = await documented();

Deno.test("every exported function and class has an example", () => {
  const runs = symbols.filter(({ declarations }) =>
    declarations.some(({ kind }) => kind === "function" || kind === "class")
  );
  assert(runs.length > 20);
  // A class may have its example at one of its methods.
  const bare = runs.filter(({ declarations }) =>
    !JSON.stringify(declarations).includes('"kind":"example"')
  );
  assertEquals(bare.map(({ name }) => name), []);
});

Deno.test("every exported symbol has a documentation comment", () => {
  const bare = symbols.filter(({ declarations }) =>
    !declarations.some(({ jsDoc }) => jsDoc?.doc !== undefined && jsDoc.doc !== "")
  );
  assertEquals(bare.map(({ name }) => name), []);
});

/** The defects of the examples in a file, one line each. */
function faultsOf(source: string): string[] {
  const examples = source.matchAll(/@example(?:(?!@example|\*\/).)*/gs);
  return [...examples].flatMap(([example]) => {
    const blocks = [...example.matchAll(/```(\S*)([^\n]*)\n(.*?)```/gs)];
    const isRun = blocks.length > 0 &&
      blocks.every(([, language, attributes]) => language === "ts" && attributes === "");
    if (!isRun) return [`is not run: ${example}`];
    return blocks.every(([, , , code]) => code?.includes("assert"))
      ? []
      : [`shows nothing: ${example}`];
  });
}

Deno.test("an example is run, and asserts what it shows", async () => {
  const files = (await modules()).filter((path) =>
    PUBLISHED.includes(packageOf(path) ?? "") && !path.endsWith("_test.ts")
  );
  assert(files.length > 100);
  const faults = await Promise.all(
    files.map(async (path) => faultsOf(await read(path)).map((fault) => `${path} ${fault}`)),
  );
  assertEquals(faults.flat(), []);
});

Deno.test("an example that is not run, or shows nothing, is found", () => {
  const block = (fence: string, code: string) =>
    `/**\n * @example\n * ${fence}\n * ${code}\n * \`\`\`\n */`;
  assertEquals(faultsOf(block("```ts", "assert(true);")), []);
  const bad = [
    block("```ts ignore", "assert(true);"),
    block("```sh", "assert(true);"),
    block("```", "assert(true);"),
    block("```ts", "console.log(1);"),
    "/** @example */",
  ];
  for (const source of bad) assertEquals(faultsOf(source).length, 1, source);
});
