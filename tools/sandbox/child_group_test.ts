import { assert, assertEquals, assertRejects } from "@std/assert";
import { startGroup } from "./child_group.ts";

const ignore = Deno.build.os === "windows";
const BASE = { file: "/bin/sh", cwd: "/", env: { PATH: "/usr/bin:/bin" } };

/** True while a process runs, and false for a dead one that is not yet reaped. */
async function runs(pid: number): Promise<boolean> {
  const args = ["-o", "stat=", "-p", String(pid)];
  const { stdout } = await new Deno.Command("ps", { args }).output();
  return /^[^Z\s]/.test(new TextDecoder().decode(stdout).trim());
}

/** Waits until a process is gone; one that stays makes the test fail, not hang. */
async function assertGone(pid: number): Promise<void> {
  assert(pid > 1);
  for (let tries = 0; await runs(pid); tries++) {
    assert(tries < 1_000, `Process ${pid} is still running`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Returns the first lines of an output. */
async function lines(output: AsyncIterable<Uint8Array>, count: number): Promise<string[]> {
  let text = "";
  for await (const piece of output) {
    text += new TextDecoder().decode(piece);
    const all = text.split("\n");
    if (all.length > count) return all.slice(0, count);
  }
  return text.split("\n");
}

Deno.test({
  name: "a program that ends with its input is not signalled",
  ignore,
  async fn() {
    const group = await startGroup({ ...BASE, args: ["-c", "cat; echo bye"] });
    group.stdin.write("hi\n");
    const text = lines(group.stdout, 2);
    group.stdin.end();
    assertEquals(await text, ["hi", "bye"]);
    await group.ended;
    await group.close();
  },
});

Deno.test({
  name: "a program and its children that ignore the request are killed",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const script = 'trap "" TERM; (trap "" TERM; while :; do sleep 1; done) & ' +
      "setsid sleep 300 & echo $! $$; while :; do sleep 1; done";
    const group = await startGroup({ ...BASE, args: ["-c", script] });
    // Not iterated: that would destroy the output.
    const text = await new Promise<string>((resolve) =>
      group.stdout.once("data", (piece) => resolve(String(piece)))
    );
    const pids = text.trim().split(" ").map(Number);
    for (const pid of pids) assertEquals(await runs(pid), true);
    await Promise.all([group.close(), group.close()]);
    for (const pid of pids) await assertGone(pid);
  },
});

Deno.test({
  name: "children that a program leaves behind end with it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const group = await startGroup({ ...BASE, args: ["-c", "sleep 300 & echo $!"] });
    const [pid = ""] = await lines(group.stdout, 1);
    await group.ended;
    await assertGone(Number(pid));
  },
});

Deno.test({
  name: "a program that cannot be started is an error",
  ignore,
  async fn() {
    await assertRejects(() => startGroup({ ...BASE, args: [], file: "/no/such" }));
  },
});
