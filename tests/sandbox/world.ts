/** A workspace with traps, and its surroundings. */

import {
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "@std/path";
import { filled, LINKS, SECRET_FILES } from "./attack_cases.ts";
import { DENIED, SECRET, type World } from "./attacks.ts";

/** A world that ends with the test. */
export interface BuiltWorld extends World, AsyncDisposable {
  /** The folder of everything. */
  readonly root: string;
}

/** Builds a world in a temporary folder. */
export async function buildWorld(): Promise<BuiltWorld> {
  const root = await Deno.realPath(await Deno.makeTempDir());
  const workspace = join(root, "workspace");
  const sibling = join(root, "workspace-evil");
  const outside = join(root, "outside");
  for (const folder of [sibling, outside]) {
    await mkdir(folder);
    await writeFile(join(folder, "secret.txt"), SECRET);
    // The file has another name in the workspace: its content is no secret of the outside.
    await writeFile(join(folder, "linked.txt"), "linked");
  }
  await mkdir(join(workspace, "inner"), { recursive: true });
  const world = { workspace, sibling, outside };
  await putLinks(world);
  await putSecrets(workspace);
  await putLarge(workspace);
  await putSpecial(workspace);
  return {
    root,
    ...world,
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

async function putLinks(world: World): Promise<void> {
  const { workspace, outside } = world;
  for (const [name, target] of Object.entries(LINKS)) {
    await symlink(filled(target, world), join(workspace, name));
  }
  await link(`${outside}/linked.txt`, join(workspace, "hard.txt"));
}

async function putSecrets(workspace: string): Promise<void> {
  for (const name of SECRET_FILES) {
    await mkdir(dirname(join(workspace, name)), { recursive: true });
    await writeFile(join(workspace, name), DENIED);
  }
  await writeFile(join(workspace, ".env.example"), "KEY=");
  await writeFile(join(workspace, "id_rsa.pub"), "ssh-rsa");
}

async function putLarge(workspace: string): Promise<void> {
  await writeFile(join(workspace, "sparse"), "");
  await truncate(join(workspace, "sparse"), 2 ** 40);
  await writeFile(join(workspace, "long_line.txt"), "é".repeat(3_000_000));
  await mkdir(join(workspace, "many"));
  for (let n = 0; n < 600; n++) await writeFile(join(workspace, "many", `${n}.log`), "");
  await mkdir(join(workspace, "a/".repeat(45)), { recursive: true });
  await mkdir(join(workspace, "patterns", "a/".repeat(30)), { recursive: true });
  for (const name of ["a".repeat(250), `${"a/".repeat(30)}${"a".repeat(250)}`]) {
    await writeFile(join(workspace, "patterns", name), "a");
  }
  await mkdir(join(workspace, "slow_rules", "a/".repeat(30)), { recursive: true });
  await writeFile(
    join(workspace, "slow_rules", ".gitignore"),
    `${"**/a/".repeat(20)}b\n`.repeat(50),
  );
}

/** Listens once, and leaves the socket file. */
const SOCKET = 'import("node:net").then(({ createServer }) => ' +
  "createServer().listen(Deno.args[0], () => Deno.exit(0)))";

async function putSpecial(workspace: string): Promise<void> {
  const pipe = new Deno.Command("mkfifo", { args: [join(workspace, "pipe")] });
  // In a separate process: tests may listen on loopback alone.
  const args = ["eval", "--quiet", SOCKET, join(workspace, "socket")];
  const socket = new Deno.Command(Deno.execPath(), { args });
  for (const result of await Promise.all([pipe.output(), socket.output()])) {
    if (!result.success) throw new Error("Cannot make a special file");
  }
}

/** Returns the state outside the workspace: names, status and contents. */
export async function outsideOf({ root, workspace }: BuiltWorld): Promise<string[]> {
  const seen: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    for (const name of (await readdir(folder)).sort()) {
      const path = join(folder, name);
      if (path === workspace) continue;
      const stats = await lstat(path, { bigint: true });
      const text = stats.isFile() ? await readFile(path, "utf8") : "";
      seen.push(`${path} ${stats.ino} ${stats.mode} ${stats.size} ${stats.mtimeNs} ${text}`);
      if (stats.isDirectory()) await visit(path);
    }
  };
  await visit(root);
  return seen;
}
