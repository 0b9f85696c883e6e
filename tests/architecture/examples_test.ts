import { assert, assertEquals } from "@std/assert";
import { read, ROOT } from "./house.ts";

/** What `deno doc --json` says, as far as it matters here. */
interface Documentation {
  readonly nodes: Readonly<Record<string, { readonly symbols: readonly Documented[] }>>;
}

interface Documented {
  readonly name: string;
  readonly declarations: readonly { readonly kind: string }[];
}

const entries = (await Promise.all(["tools", "sdk"].map(async (member) => {
  const { exports: paths } = JSON.parse(await read(`${member}/deno.json`));
  const listed: string[] = typeof paths === "string" ? [paths] : Object.values(paths);
  return listed.map((path) => `${member}/${path}`);
}))).flat();

Deno.test("every exported function, class and constant has an example", async () => {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", ...entries],
    cwd: ROOT,
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  const { nodes }: Documentation = JSON.parse(new TextDecoder().decode(stdout));
  const symbols = Object.values(nodes).flatMap(({ symbols }) => symbols);
  assert(symbols.length > 300);
  // A class may have it at one of its methods.
  const bare = symbols.filter(({ declarations }) =>
    declarations.some(({ kind }) => ["function", "class", "variable"].includes(kind)) &&
    !JSON.stringify(declarations).includes('"kind":"example"')
  );
  assertEquals(bare.map(({ name }) => name), []);
});
