import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { SECRET } from "./attacks.ts";
import { buildLab, type Host, HOSTS } from "./hosts.ts";
import type { Start } from "./swap_worker.ts";

/** `SANDBOX_RACE_ROUNDS=2000` is the long run: it takes some twenty minutes, and prints what it met. */
const ROUNDS = Number(Deno.env.get("SANDBOX_RACE_ROUNDS") ?? 25);

interface Arena extends AsyncDisposable {
  readonly workspace: string;
  readonly outside: string;
}

async function buildArena(): Promise<Arena> {
  const root = await Deno.realPath(await Deno.makeTempDir());
  const [workspace, outside] = [join(root, "workspace"), join(root, "outside")];
  await Deno.mkdir(join(workspace, "folder"), { recursive: true });
  await Deno.mkdir(outside);
  for (const name of ["folder/file.txt", "file.txt", "pipe.txt"]) {
    await Deno.writeTextFile(join(workspace, name), "inside");
  }
  for (const name of ["file.txt", "secret_name_SECRET-FROM-OUTSIDE"]) {
    await Deno.writeTextFile(join(outside, name), SECRET);
  }
  await new Deno.Command("mkfifo", { args: [join(outside, "pipe")] }).output();
  return {
    workspace,
    outside,
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

async function contentsOf(folder: string): Promise<string[]> {
  const seen: string[] = [];
  for await (const { name, isFile } of Deno.readDir(folder)) {
    const path = join(folder, name);
    const { ino, size, mode } = await Deno.lstat(path);
    seen.push(`${name} ${ino} ${size} ${mode} ${isFile ? await Deno.readTextFile(path) : ""}`);
  }
  return seen.sort();
}

/** How the calls ended while a worker swapped. */
async function race(host: Host, { workspace, outside }: Arena): Promise<Record<string, number>> {
  const lab = host.name === "Node" ? await buildLab() : workspace;
  const { executable, args } = host.command("race_process.ts", { workspace, lab });
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL("swap_worker.ts", import.meta.url), { type: "module" });
  const stopped = new Promise<number>((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  });
  try {
    const start: Start = { world: { workspace, outside }, stop };
    worker.postMessage(start);
    const { stdout, stderr } = await new Deno.Command(executable, {
      args: [...args, JSON.stringify({ workspace, rounds: ROUNDS })],
    }).output();
    assertEquals(new TextDecoder().decode(stderr), "");
    return JSON.parse(new TextDecoder().decode(stdout));
  } finally {
    Atomics.store(stop, 0, 1);
    const swaps = await stopped;
    // On a busy machine the worker swaps late: a short run may see one swap alone, and shows both ends.
    assert(swaps > ROUNDS / 50, `Only ${swaps} swaps`);
    worker.terminate();
    if (lab !== workspace) await Deno.remove(lab, { recursive: true });
  }
}

for (const host of HOSTS) {
  Deno.test(`no swap opens the workspace: ${host.name}`, {
    ignore: Deno.build.os === "windows" || host.isMissing === true,
  }, async () => {
    await using arena = await buildArena();
    const before = await contentsOf(arena.outside);
    const ends = await race(host, arena);
    const names = Object.keys(ends);
    assertEquals(names.filter((end) => /leaked|bug/.test(end)), []);
    assertEquals(await contentsOf(arena.outside), before);
    assert(names.includes("read in folder: answered"), JSON.stringify(ends));
    assert(names.includes("read in folder: outside_workspace"), JSON.stringify(ends));
    if (ROUNDS > 25) console.info(host.name, ends);
  });
}
