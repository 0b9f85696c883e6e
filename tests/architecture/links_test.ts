import { assert, assertEquals } from "@std/assert";
import { files, read } from "./source_files.ts";

/** The exports of a real package, listed from its source. */
interface RealPackage {
  source: string;
  exports: Record<string, string[]>;
}

/** The `deno.json` of a stand-in. */
interface StandIn {
  name: string;
  exports: string | Record<string, string>;
}

const REAL: Record<string, RealPackage> = JSON.parse(
  await read("tests/architecture/real_exports.json"),
);

const EXPORTED: Deno.lint.Plugin = {
  name: "exported",
  rules: {
    names: {
      create(context) {
        const report = (node: Deno.lint.Node, name: string) =>
          context.report({ node, message: name });
        return {
          ExportSpecifier(node) {
            const { exported } = node;
            report(node, exported.type === "Identifier" ? exported.name : String(exported.value));
          },
          ExportAllDeclaration: (node) => report(node, "*"),
          ExportDefaultDeclaration: (node) => report(node, "default"),
          ExportNamedDeclaration({ declaration }) {
            if (declaration === null) return;
            const declared = declaration.type === "VariableDeclaration"
              ? declaration.declarations
              : [declaration];
            for (const each of declared) {
              if (!("id" in each)) continue;
              // The names of a pattern are not resolved: it is reported as written.
              const text = context.sourceCode.getText(each.id ?? each);
              report(each, each.id?.type === "Identifier" ? each.id.name : text);
            }
          },
        };
      },
    },
  },
};

function exportedNames(path: string, source: string): string[] {
  const matches = Deno.lint.runPlugin(EXPORTED, path, source);
  return [...new Set(matches.map(({ message }) => message))].sort();
}

async function standIns(): Promise<{ folder: string; config: StandIn }[]> {
  const configs = (await files()).filter((path) => /^links\/[^/]+\/deno\.json$/.test(path));
  return await Promise.all(configs.map(async (path) => ({
    folder: path.slice(0, path.lastIndexOf("/")),
    config: JSON.parse(await read(path)),
  })));
}

Deno.test("the reader of exports sees every form", () => {
  const source = `
    export { a, b as c } from "x"; export type { D } from "y"; export * from "z";
    export const i = 1, j = 2; export function e(): void {} export class F {} export interface G {} export type H = 1;
    export const { k } = x; export { l as "m n" } from "x"; export * as n from "y"; export enum O {}
    function inner() {}`;
  const names = ["*", "D", "F", "G", "H", "O", "a", "c", "e", "i", "j", "m n", "{ k }"];
  assertEquals(exportedNames("a.ts", source), names);
});

Deno.test("a stand-in offers only names that the real package exports", async () => {
  const invented: string[] = [];
  for (const { folder, config } of await standIns()) {
    const real = REAL[config.name];
    assert(real !== undefined, `real_exports.json does not know ${config.name}`);
    const entries = typeof config.exports === "string" ? { ".": config.exports } : config.exports;
    for (const [entry, file] of Object.entries(entries)) {
      const path = `${folder}/${file.replace("./", "")}`;
      const names = exportedNames(path, await read(path));
      assert(names.length > 0, `${path} exports nothing`);
      const known = real.exports[entry] ?? [];
      for (const name of names) {
        if (!known.includes(name)) invented.push(`${config.name} ${entry}: ${name}`);
      }
    }
  }
  assertEquals(invented, []);
});

Deno.test("every stand-in is linked, and everything that comes from JSR has one", async () => {
  const { links, imports } = JSON.parse(await read("deno.json"));
  const matches = await standIns();
  assertEquals(matches.map(({ folder }) => `./${folder}`).sort(), [...links].sort());
  const names = matches.map(({ config }) => config.name).sort();
  const fromJsr = Object.entries<string>(imports).filter(([, to]) => to.startsWith("jsr:"));
  assertEquals(fromJsr.map(([name]) => name).sort(), names);
});
