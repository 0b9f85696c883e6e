/** The runtimes and permissions that the file tools must hold under. */

import { fromFileUrl, join, relative } from "@std/path";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const HERE = relative(ROOT, fromFileUrl(new URL(".", import.meta.url)));

/** One way to run a program of this folder. */
export interface Host {
  /** Name of the host in the name of a test. */
  readonly name: string;
  /** True when it is not installed on this machine. */
  readonly isMissing?: boolean;
  /** True when it reaches files through descriptors of their folders. */
  readonly holdsFolders: boolean;
  /** Returns the command that runs a program. */
  command(program: string, options: { readonly workspace: string; readonly lab: string }): {
    readonly executable: string;
    readonly args: readonly string[];
  };
}

function deno(name: string, flags: (workspace: string) => string[]): Host {
  return {
    name: `Deno, ${name}`,
    holdsFolders: flags("").includes("--allow-all") && Deno.build.os === "linux",
    command: (program, { workspace }) => ({
      executable: Deno.execPath(),
      args: ["run", "--quiet", "--no-prompt", ...flags(workspace), join(ROOT, HERE, program)],
    }),
  };
}

/** True when a program is installed on this machine. */
export function isInstalled(executable: string): boolean {
  try {
    return new Deno.Command(executable, { args: ["--version"] }).outputSync().success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Node runs the output of `deno transpile`, as not every version runs TypeScript. */
const NODE: Host = {
  name: "Node",
  holdsFolders: Deno.build.os === "linux",
  isMissing: !isInstalled("node"),
  command: (program, { lab }) => ({
    executable: "node",
    args: [join(lab, HERE, program.replace(/\.ts$/, ".js"))],
  }),
};

/** The three permission modes of Deno, and Node. */
export const HOSTS: readonly Host[] = [
  deno("all permissions", () => ["--allow-all"]),
  deno("reading and writing anywhere", () => ["--allow-read", "--allow-write"]),
  deno("the workspace only", (folder) => [`--allow-read=${folder}`, `--allow-write=${folder}`]),
  NODE,
];

async function run(executable: string, args: readonly string[], cwd: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(executable, {
    args: [...args],
    cwd,
    stdout: "null",
  }).output();
  if (!success) throw new Error(`Cannot run ${executable}: ${new TextDecoder().decode(stderr)}`);
}

async function sources(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(ROOT, folder))) {
    if (isDirectory) paths.push(...await sources(join(folder, name)));
    else if (/(?<!_test)\.ts$/.test(name)) paths.push(join(folder, name));
  }
  return paths;
}

/** Adds file extensions to imports: `deno transpile` keeps them unchanged. */
async function nameImports(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) await nameImports(path);
    else {
      const code = await Deno.readTextFile(path);
      await Deno.writeTextFile(path, code.replaceAll(/"(\.{1,2}\/[^"]+)\.ts"/g, '"$1.js"'));
    }
  }
}

/** Transpiles the tools and the programs of this folder, into a folder that Node can run. */
export async function buildLab(): Promise<string> {
  const lab = await Deno.makeTempDir();
  const { imports } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  const versionOf = (name: string) => imports[name].split("@").at(-1);
  const dependencies = Object.fromEntries(
    ["brace-expansion", "ignore"].map((name) => [name, versionOf(name)]),
  );
  const programs = (await sources(HERE)).filter((path) => /(attacks|_process)\.ts$/.test(path));
  const from = [...await sources("tools"), ...programs];
  await run(Deno.execPath(), ["transpile", "--no-check", "--outdir", lab, ...from], ROOT);
  await nameImports(lab);
  await Deno.writeTextFile(
    join(lab, "package.json"),
    JSON.stringify({ type: "module", dependencies }),
  );
  await run(Deno.execPath(), ["install", "--quiet", "--node-modules-dir=auto"], lab);
  await Deno.mkdir(join(lab, "node_modules/@svc"), { recursive: true });
  await Deno.symlink("../../tools", join(lab, "node_modules/@svc/tools"));
  await Deno.writeTextFile(
    join(lab, "tools/package.json"),
    JSON.stringify({ name: "@svc/tools", type: "module", exports: "./mod.js" }),
  );
  return lab;
}
