import { assert, assertEquals } from "@std/assert";
import { modules, read, room, ROOT } from "./source_files.ts";

/** What `deno doc --json` says, as far as it matters here. */
interface Documentation {
  readonly nodes: Readonly<Record<string, { readonly symbols: readonly Documented[] }>>;
}

interface Documented {
  readonly name: string;
  /** A `reference` stands for what another entry point documents. */
  readonly declarations: readonly { readonly kind: string }[];
}

const PUBLISHED = ["tools", "sdk"];

const entries = (await Promise.all(PUBLISHED.map(async (member) => {
  const { exports: paths } = JSON.parse(await read(`${member}/deno.json`));
  const listed: string[] = typeof paths === "string" ? [paths] : Object.values(paths);
  return listed.map((path) => `${member}/${path}`);
}))).flat();

Deno.test("every exported symbol of every kind has an example", async () => {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", ...entries],
    cwd: ROOT,
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  const { nodes }: Documentation = JSON.parse(new TextDecoder().decode(stdout));
  const symbols = Object.values(nodes).flatMap(({ symbols }) => symbols);
  assert(symbols.length > 300);
  // A class may have it at one of its methods.
  const hasExample = ({ declarations }: Documented) =>
    JSON.stringify(declarations).includes('"kind":"example"');
  const shown = new Set(symbols.filter(hasExample).map(({ name }) => name));
  const isReference = ({ declarations }: Documented) =>
    declarations.every(({ kind }) => kind === "reference");
  const bare = symbols.filter((symbol) =>
    isReference(symbol) ? !shown.has(symbol.name) : !hasExample(symbol)
  );
  assertEquals(bare.map(({ name }) => name), []);
});

/** What is wrong with the examples of a file, a line each. */
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
    PUBLISHED.includes(room(path) ?? "") && !path.endsWith("_test.ts")
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
