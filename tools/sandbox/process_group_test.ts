import { assertEquals, assertRejects } from "@std/assert";
import { runInGroup } from "./process_group.ts";

const ignore = Deno.build.os === "windows";
function isThere(path: string): Promise<boolean> {
  return Deno.lstat(path).then(() => true, () => false);
}

const LIMITS = { timeoutMs: 10_000, maxOutputBytes: 100, signal: new AbortController().signal };

Deno.test({
  name: "a program is given its arguments, its folder and its environment, and nothing else",
  ignore,
  async fn() {
    const args = ["-c", 'echo "$1 $A $(pwd)"; exit 4', "sh", "b  c"];
    const command = { file: "/bin/sh", args, cwd: "/", env: { A: "1" } };
    const { exitCode, signal, stopped, stdout, stderr } = await runInGroup(command, LIMITS);
    assertEquals([exitCode, signal, stopped], [4, null, undefined]);
    assertEquals([stdout.text(), stderr.text()], ["b  c 1 /\n", ""]);
  },
});

Deno.test({
  name: "a command that cannot be started is an error, and leaves nothing behind",
  ignore,
  async fn() {
    const command = { file: "/bin/sh", args: ["-c", "true"], cwd: "/", env: {} };
    await assertRejects(() => runInGroup({ ...command, file: "/no/such" }, LIMITS));
    await assertRejects(() => runInGroup({ ...command, cwd: "/no/such" }, LIMITS));
  },
});

Deno.test({
  name: "a run that is aborted before it starts ends at once",
  ignore,
  async fn() {
    const command = {
      file: "/bin/sh",
      args: ["-c", "sleep 300"],
      cwd: "/",
      env: { PATH: "/bin:/usr/bin" },
    };
    const { stopped } = await runInGroup(command, { ...LIMITS, signal: AbortSignal.abort() });
    assertEquals(stopped, "abort");
  },
});

Deno.test({
  name: "the first reason to stop is reported",
  ignore,
  async fn() {
    const folder = await Deno.makeTempDir();
    const controller = new AbortController();
    const readyFile = `${folder}/asked`;
    const args = ["-c", `trap ': > "$1"' TERM; while :; do sleep 0.1; done`, "sh", readyFile];
    const command = { file: "/bin/sh", args, cwd: "/", env: { PATH: "/bin:/usr/bin" } };
    // By then the shell has set its trap.
    const limits = { ...LIMITS, timeoutMs: 1_500, signal: controller.signal };
    const running = runInGroup(command, limits);
    // The second reason comes while it is being asked to end.
    while (!await isThere(readyFile)) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    const { stopped, signal } = await running;
    await Deno.remove(folder, { recursive: true });
    assertEquals([stopped, signal], ["timeout", "SIGKILL"]);
  },
});
