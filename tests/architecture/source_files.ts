/** The house as the rules see it: its files and who imports whom. */

import { fromFileUrl, join, relative, toFileUrl } from "@std/path";

/** The root of the checkout. */
export const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** The rooms, in the order in which they may know each other. */
export const MEMBERS = ["tools", "sdk", "gateway", "tests"] as const;

/** What is built, downloaded or stored at the root, never written by hand. */
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

/** Paths of all files of the house, from its root on, with forward slashes, sorted. */
export async function files(): Promise<string[]> {
  const paths = await Array.fromAsync(walk(ROOT));
  return paths.map((path) => relative(ROOT, path).replaceAll("\\", "/")).sort();
}

/** Whether a file is TypeScript. */
export function isCode(path: string): boolean {
  return path.endsWith(".ts") || path.endsWith(".tsx");
}

/** The code of the rooms themselves: neither stand-ins nor the linter's rules. */
export async function modules(): Promise<string[]> {
  return (await files()).filter((path) => isCode(path) && room(path) !== undefined);
}

/** The room a path is in. */
export function room(path: string): typeof MEMBERS[number] | undefined {
  return MEMBERS.find((member) => path.startsWith(`${member}/`));
}

/** The address of a file, to import it by. */
export function url(path: string): string {
  return toFileUrl(join(ROOT, path)).href;
}

/** The text of a file. */
export function read(path: string): Promise<string> {
  return Deno.readTextFile(join(ROOT, path));
}

/** One import, types included. */
export interface Import {
  /** The importing module, from the root on. */
  readonly from: string;
  /** As written. */
  readonly specifier: string;
  /** What it resolves to: a path from the root on, or a URL outside; or `missing: ` and why. */
  readonly to: string;
}

/** What `deno info --json` says of a module. */
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

/** The imports of one module; `broken` holds the modules of the graph that cannot be loaded. */
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

/** Every import of every module of the rooms, as Deno resolves it: one graph over all of them. */
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
      .filter(({ specifier }) => room(fromRoot(specifier)) !== undefined)
      .flatMap((module) => importsOf(module, broken));
  } finally {
    await Deno.remove(entry);
  }
}
