import { assert, assertEquals } from "@std/assert";
import { type Import, imports, MEMBERS, modules, packageOf, read, url } from "./source_files.ts";

const graph = await imports();

function show(matches: Import[]): string[] {
  return matches.map(({ from, specifier }) => `${from} imports ${specifier}`);
}

Deno.test("the graph covers every module, and every import in it resolves", async () => {
  const known = new Set(graph.flatMap(({ from, to }) => [from, to]));
  assert(known.size > MEMBERS.length);
  assertEquals(graph.filter(({ to }) => to.startsWith("missing:")), []);
  const importing = (await Promise.all((await modules()).map(async (path) => ({
    path,
    imports: /^(import|export) .* from "/m.test(await read(path)),
  })))).filter(({ imports }) => imports);
  assertEquals(importing.filter(({ path }) => !known.has(path)), []);
});

/** True for a module that imports a computed name, which no graph shows. */
function importsByComputing(source: string): boolean {
  return /\bimport\(\s*(?!["'\s])[^)]/.test(source);
}

Deno.test("every import is in the graph: none has a computed name", async () => {
  for (const planted of ["import(name)", "import(`../gateway/${name}.ts`)", "import(\n  f(1))"]) {
    assert(importsByComputing(planted), planted);
  }
  assert(!importsByComputing('await import(\n  "./a.ts",\n)'));
  const sources = (await modules()).filter((path) =>
    packageOf(path) !== "tests" && !/_test\.tsx?$/.test(path)
  );
  const computing = await Promise.all(
    sources.map(async (path) => importsByComputing(await read(path)) ? [path] : []),
  );
  assertEquals(computing.flat(), []);
});

Deno.test("arrows point one way: tools <- sdk <- gateway <- tests", () => {
  const against = graph.filter(({ from, to }) => {
    const [here, there] = [packageOf(from), packageOf(to)];
    if (here === undefined || there === undefined) return false;
    return MEMBERS.indexOf(there) > MEMBERS.indexOf(here);
  });
  assertEquals(show(against), []);
});

Deno.test("a package imports another by its name, never by a path into it", () => {
  const across = graph.filter(({ from, specifier, to }) => {
    if (!specifier.startsWith(".") || to.startsWith("missing:")) return false;
    // The service, the linter's rules and the operator's programs are no libraries: tests import
    // their files.
    const isPart = packageOf(from) === "tests" &&
      (packageOf(to) === "gateway" || /^(?:lint|ops)\//.test(to));
    return packageOf(from) !== packageOf(to) && !isPart;
  });
  assertEquals(show(across), []);
});

Deno.test("gateway/domain imports its own files and the wire types, nothing else", () => {
  const strangers = graph.filter(({ from, specifier, to }) =>
    from.startsWith("gateway/domain/") && !from.endsWith("_test.ts") &&
    !to.startsWith("gateway/domain/") && specifier !== "@svc/sdk/protocol"
  );
  assertEquals(show(strangers), []);
});

Deno.test("packages are imported by the names that deno.json maps", async () => {
  const mapped: string[] = Object.keys(JSON.parse(await read("deno.json")).imports);
  for (const member of MEMBERS) {
    const config = JSON.parse(await read(`${member}/deno.json`));
    mapped.push(config.name, ...Object.keys(config.imports ?? {}));
  }
  const isKnown = (specifier: string) =>
    specifier.startsWith(".") || specifier.startsWith("node:") ||
    mapped.some((name) => specifier === name || specifier.startsWith(`${name}/`));
  assertEquals(show(graph.filter(({ specifier }) => !isKnown(specifier))), []);
});

Deno.test("every package that deno.json maps is imported somewhere", async () => {
  const config = JSON.parse(await read("deno.json"));
  // The compiler writes the import of the console's elements.
  const specifiers = [config.compilerOptions.jsxImportSource];
  for (const { specifier } of graph) specifiers.push(specifier);
  // A comment names the types of a library that has none.
  for (const path of await modules()) {
    specifiers.push(.../^\/\/ @ts-types="(.*)"$/m.exec(await read(path))?.slice(1) ?? []);
  }
  const unused = (names: string[]) =>
    names.filter((name) =>
      !specifiers.some((specifier) => specifier === name || specifier.startsWith(`${name}/`))
    );
  assertEquals(unused(Object.keys(config.imports)), []);
  assertEquals(unused(["@std/nowhere", "zod"]), ["@std/nowhere"]);
});

Deno.test("the published packages need no development dependency", () => {
  const development = [
    ...["@std/assert", "@std/testing", "@copilotkit/aimock", "fast-check", "openai"],
    ...["@anthropic-ai/sdk", "@modelcontextprotocol/server-everything"],
  ];
  const borrowed = graph.filter(({ from, specifier }) =>
    (packageOf(from) === "sdk" || packageOf(from) === "tools") && !from.endsWith("_test.ts") &&
    development.some((name) => specifier === name || specifier.startsWith(`${name}/`))
  );
  assertEquals(show(borrowed), []);
});

/** True for code that uses the Deno namespace in any way; comments do not count. */
function usesDeno(source: string): boolean {
  return /\bDeno\b/.test(source.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, ""));
}

Deno.test("a use of the Deno namespace is found in every form", () => {
  const uses = ["Deno.cwd()", "Deno?.env", "globalThis.Deno", "const { env } = Deno;"];
  for (const use of [...uses, 'f("https://x.example", Deno.cwd())']) assert(usesDeno(use), use);
  for (const none of ["/** Deno.cwd() */ f();", "  // Deno.cwd()\nf();"]) assert(!usesDeno(none));
});

Deno.test("the client runs anywhere: no Deno namespace in sdk/", async () => {
  const users: string[] = [];
  for (const path of await modules()) {
    if (packageOf(path) !== "sdk" || path.endsWith("_test.ts")) continue;
    if (usesDeno(await read(path))) users.push(path);
  }
  assertEquals(users, []);
});

Deno.test("every module of the packages loads, so that coverage sees it", async () => {
  const sources = (await modules()).filter((path) =>
    packageOf(path) !== "tests" && !/_test\.tsx?$/.test(path)
  );
  for (const path of sources) {
    const loaded: unknown = await import(url(path));
    assert(typeof loaded === "object", `Cannot load ${path}`);
  }
});
