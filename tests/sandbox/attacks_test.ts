import { assert, assertEquals } from "@std/assert";
import { attacks } from "./attack_cases.ts";
import type { AttackClass } from "./attacks.ts";
import { buildLab, type Host, HOSTS } from "./hosts.ts";
import { buildWorld, type BuiltWorld, outsideOf } from "./world.ts";

const MIN_ATTACKS = 100;

interface End {
  readonly kind: AttackClass;
  readonly tool: string;
  readonly input: string;
  readonly ends: readonly string[];
  readonly end: string;
}

async function endsOn(host: Host, world: BuiltWorld): Promise<End[]> {
  const lab = host.name === "Node" ? await buildLab() : world.root;
  const { workspace } = world;
  const { executable, args } = host.command("attack_process.ts", { workspace, lab });
  const process = new Deno.Command(executable, {
    args: [...args, workspace],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const input = process.stdin.getWriter();
  await input.write(new TextEncoder().encode(JSON.stringify(attacks(world))));
  await input.close();
  const { stdout, stderr } = await process.output();
  if (lab !== world.root) await Deno.remove(lab, { recursive: true });
  assertEquals(new TextDecoder().decode(stderr), "");
  const lines = new TextDecoder().decode(stdout).trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

for (const host of HOSTS) {
  Deno.test(`nothing leads out of the workspace: ${host.name}`, {
    ignore: Deno.build.os === "windows" || host.isMissing === true,
  }, async () => {
    await using world = await buildWorld();
    const before = await outsideOf(world);
    const ends = await endsOn(host, world);
    assertEquals(ends.filter(({ ends, end }) => !ends.includes(end)), []);
    assertEquals(await outsideOf(world), before);
    assert(ends.length === attacks(world).length && ends.length >= MIN_ATTACKS);
  });
}
