import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { SECRET } from "./attacks.ts";
import { buildLab, type Host, HOSTS, isInstalled } from "./hosts.ts";
import type { Rest, Start } from "./swap_worker.ts";

/** Rounds of a race. `SANDBOX_RACE_ROUNDS=2000` takes half an hour, and prints the counts. */
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

/**
 * Starts a worker that swaps files of the tools until it is stopped; `stop` returns the number of
 * swaps.
 */
type Attack = (arena: Arena, rest: Rest) => { stop(): Promise<number> };

/** Renames and links, as any program may; each changes the times of the folder above. */
const swap: Attack = ({ workspace, outside }, rest) => {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL("swap_worker.ts", import.meta.url), { type: "module" });
  const stopped = new Promise<number>((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  });
  const start: Start = { world: { workspace, outside }, rest, stop };
  worker.postMessage(start);
  return {
    async stop() {
      Atomics.store(stop, 0, 1);
      const swaps = await stopped;
      worker.terminate();
      return swaps;
    },
  };
};

/** Swaps atomically, and resets all times that can be set after each swap. */
const exchange: Attack = ({ workspace, outside }, rest) => {
  const program = fromFileUrl(new URL("exchange.py", import.meta.url));
  const process = new Deno.Command("python3", {
    args: [program, workspace, "folder", outside, String(rest.min), String(rest.max)],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  return {
    async stop() {
      await process.stdin.close();
      return Number(new TextDecoder().decode((await process.output()).stdout));
    },
  };
};

const ATTACKS = [
  { name: "swap", attack: swap },
  {
    name: "exchange with its times set back",
    attack: exchange,
    isMissing: Deno.build.os !== "linux" || !isInstalled("python3"),
  },
];

interface Pace {
  readonly rounds: number;
  readonly rest: Rest;
  readonly shown: readonly string[];
}

/** Returns the pace: a folder that is not held must rest for a second before a result is valid. */
function paceOf({ holdsFolders }: Host): Pace {
  const shown = ["read in folder: answered", "create in root: answered"];
  return holdsFolders
    ? {
      rounds: ROUNDS,
      rest: { min: 0, max: 80 },
      shown: [...shown, "read in folder: outside_workspace", "create: answered"],
    }
    : {
      rounds: Math.ceil(ROUNDS / 12),
      rest: { min: 1_300, max: 1_900 },
      shown: [...shown, "create: workspace_unsafe"],
    };
}

/** Counts the outcomes of calls during an attack. */
async function race(host: Host, attack: Attack, arena: Arena): Promise<Record<string, number>> {
  const { workspace } = arena;
  const { rounds, rest, shown } = paceOf(host);
  const lab = host.name === "Node" ? await buildLab() : workspace;
  const { executable, args } = host.command("race_process.ts", { workspace, lab });
  const attacker = attack(arena, rest);
  try {
    const { stdout, stderr } = await new Deno.Command(executable, {
      args: [...args, JSON.stringify({ workspace, rounds, shown })],
    }).output();
    assertEquals(new TextDecoder().decode(stderr), "");
    return JSON.parse(new TextDecoder().decode(stdout));
  } finally {
    const swaps = await attacker.stop();
    // On a busy machine the swaps come late: a short run may meet only one, and shows both
    // outcomes.
    assert(swaps > rounds / 50, `Only ${swaps} swaps`);
    if (lab !== workspace) await Deno.remove(lab, { recursive: true });
  }
}

/** Calls that would create something in a swapped folder. */
const CHANGES = ["overwrite", "create", "make folder"];

for (const host of HOSTS) {
  for (const { name, attack, isMissing } of ATTACKS) {
    Deno.test(`no ${name} opens the workspace: ${host.name}`, {
      ignore: Deno.build.os === "windows" || host.isMissing === true || isMissing === true,
    }, async () => {
      await using arena = await buildArena();
      const before = await contentsOf(arena.outside);
      const ends = await race(host, attack, arena);
      const names = Object.keys(ends);
      assertEquals(names.filter((end) => /leaked|bug/.test(end)), []);
      assertEquals(await contentsOf(arena.outside), before);
      assertEquals(paceOf(host).shown.filter((end) => !names.includes(end)), []);
      const changed = CHANGES.filter((call) => names.includes(`${call}: answered`));
      assertEquals(changed.length > 0, host.holdsFolders, JSON.stringify(ends));
      if (ROUNDS > 25) console.info(host.name, name, ends);
    });
  }
}
