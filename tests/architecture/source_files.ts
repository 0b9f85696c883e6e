/** The checkout in the terms of the architecture tests: its files and their imports. */

import { fromFileUrl, join, relative, toFileUrl } from "@std/path";

/** The root of the checkout. */
export const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** The packages in the order of dependencies: each may import those before it. */
export const MEMBERS = ["tools", "sdk", "gateway", "tests"] as const;

/** Folders at the root that are built, downloaded or stored, never written by hand. */
const NOT_SOURCE = [".git", "coverage", "data", "dist", "node_modules"].map((name) =>
  join(ROOT, name)
);

async function* walk(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isFile) yield path;
    else if (entry.isDirectory && !NOT_SOURCE.includes(path)) yield* walk(path);
  }
}

/**
 * Returns the paths of all files of the checkout, from its root on, with forward slashes, sorted.
 */
export async function files(): Promise<string[]> {
  const paths = await Array.fromAsync(walk(ROOT));
  return paths.map((path) => relative(ROOT, path).replaceAll("\\", "/")).sort();
}

/** True for TypeScript. */
export function isCode(path: string): boolean {
  return path.endsWith(".ts") || path.endsWith(".tsx");
}

/** Returns the code of the packages: neither stand-ins nor the linter's rules. */
export async function modules(): Promise<string[]> {
  return (await files()).filter((path) => isCode(path) && packageOf(path) !== undefined);
}

/** Returns the package of a path. */
export function packageOf(path: string): typeof MEMBERS[number] | undefined {
  return MEMBERS.find((member) => path.startsWith(`${member}/`));
}

/** Returns the URL of a file, for an import. */
export function url(path: string): string {
  return toFileUrl(join(ROOT, path)).href;
}

/** Reads a file. */
export function read(path: string): Promise<string> {
  return Deno.readTextFile(join(ROOT, path));
}

/** One import, types included. */
export interface Import {
  /** The importing module, from the root on. */
  readonly from: string;
  /** The specifier as written. */
  readonly specifier: string;
  /** The target: a path from the root on, or a URL outside; or `missing: ` and the reason. */
  readonly to: string;
}

/** A module in `deno info --json`. */
interface ModuleInfo {
  specifier: string;
  error?: string;
  dependencies?: {
    specifier: string;
    code?: { specifier?: string; error?: string };
    type?: { specifier?: string; error?: string };
  }[];
}

function fromRoot(address: string): string {
  const root = url("");
  return address.startsWith(root) ? address.slice(root.length) : address;
}

/**
 * Returns the imports of one module; `broken` holds the modules of the graph that cannot be loaded.
 */
function importsOf(module: ModuleInfo, broken: ReadonlyMap<string, string>): Import[] {
  const from = fromRoot(module.specifier);
  return (module.dependencies ?? []).flatMap(({ specifier, code, type }) =>
    [code, type].filter((resolved) => resolved !== undefined).map((resolved) => {
      const error = resolved.error ?? broken.get(resolved.specifier ?? "");
      const to = error === undefined ? fromRoot(resolved.specifier ?? "") : `missing: ${error}`;
      return { from, specifier, to };
    })
  );
}

/**
 * Returns every import of every module of the packages, as Deno resolves it: one graph over all of
 * them.
 */
export async function imports(): Promise<Import[]> {
  const entry = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    const lines = (await modules()).map((path) => `import "${url(path)}";`);
    await Deno.writeTextFile(entry, lines.join("\n"));
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", "--config", join(ROOT, "deno.json"), entry],
      cwd: ROOT,
    }).output();
    if (!success) throw new Error(`Cannot read the graph: ${new TextDecoder().decode(stderr)}`);
    const graph: { modules: ModuleInfo[] } = JSON.parse(new TextDecoder().decode(stdout));
    const broken = new Map(
      graph.modules.flatMap(({ specifier, error }) =>
        error === undefined ? [] : [[specifier, error]]
      ),
    );
    return graph.modules
      .filter(({ specifier }) => packageOf(fromRoot(specifier)) !== undefined)
      .flatMap((module) => importsOf(module, broken));
  } finally {
    await Deno.remove(entry);
  }
}
