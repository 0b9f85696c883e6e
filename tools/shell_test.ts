import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { shell, type ShellOptions } from "./shell.ts";
import type { ShellPermissionRequest, ShellResult } from "./shell/run_command.ts";
import { type ToolContext, ToolError } from "./tool.ts";

function contextOf(signal: AbortSignal = new AbortController().signal): ToolContext {
  return { toolCallId: "call_1", signal };
}

/** A test in a temporary workspace. */
function onUnix(name: string, use: (workspace: string) => Promise<void>): void {
  const ignore = Deno.build.os === "windows";
  Deno.test({ name, ignore, fn: () => inWorkspace(use) });
}

async function inWorkspace(use: (workspace: string) => Promise<void>): Promise<void> {
  const workspace = await Deno.realPath(await Deno.makeTempDir());
  try {
    await use(workspace);
  } finally {
    await Deno.remove(workspace, { recursive: true });
  }
}

async function run(
  options: ShellOptions,
  input: unknown,
  context = contextOf(),
): Promise<ShellResult> {
  return Object(await shell({ permission: () => true, ...options }).execute?.(input, context));
}

function refusal(options: ShellOptions, input: unknown, context = contextOf()): Promise<ToolError> {
  return assertRejects(() => run(options, input, context), ToolError);
}

/** A shell line that waits until the parallel process has begun. */
const THERE = "until [ -e there ]; do sleep 0.02; done";
/** Time enough for a shell to begin, in milliseconds. */
const BEGUN_MS = 1_500;

/** True for a running process, and false for a dead one that is not yet reaped. */
async function runs(pid: string): Promise<boolean> {
  const args = ["-o", "stat=", "-p", pid.trim()];
  const { stdout } = await new Deno.Command("ps", { args }).output();
  const state = new TextDecoder().decode(stdout).trim();
  return state !== "" && !state.startsWith("Z");
}

/** Waits until processes are gone; one that stays makes the test fail, not hang. */
async function assertGone(pids: string): Promise<void> {
  const all = pids.trim().split(/\s+/);
  assert(all.every((pid) => /^\d+$/.test(pid)), pids);
  for (const pid of all) {
    for (let tries = 0; await runs(pid); tries++) {
      assert(tries < 1_000, `Process ${pid} is still running`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

onUnix("a command line and an argument list run where they were asked to", async (workspace) => {
  await Deno.mkdir(`${workspace}/my folder`);
  const line = { command: "pwd; echo oops >&2; exit 3", working_dir: "my folder" };
  assertEquals(await run({ workspace }, line), {
    exit_code: 3,
    stdout: `${workspace}/my folder\n`,
    stderr: "oops\n",
  });
  const list = { args: ["printf", "%s|", "a b", "$HOME", "it's", "*", "-n"], working_dir: "" };
  assertEquals(await run({ workspace }, list), {
    exit_code: 0,
    stdout: "a b|$HOME|it's|*|-n|",
    stderr: "",
  });
  assertEquals((await run({ workspace }, { args: ["no-such-program"] })).exit_code, 127);
  assertEquals((await run({ workspace }, { command: "-e", args: [] })).exit_code, 127);
});

onUnix("the result names the signal that ends a command", async (workspace) => {
  const result = await run({ workspace }, { command: "kill -TERM $$" });
  assertEquals(result, { exit_code: null, signal: "SIGTERM", stdout: "", stderr: "" });
});

Deno.test("without a permission callback every call is refused, with the way to allow it", async () => {
  const error = await refusal({ permission: undefined }, { command: "id" });
  assertEquals(error.code, "permission_denied");
  assertStringIncludes(error.message, "permission callback");
});

onUnix("anything but a plain grant refuses, and nothing runs", async (workspace) => {
  const callbacks: ((request: ShellPermissionRequest) => unknown)[] = [
    () => false,
    () => "yes",
    () => ({ granted: true }),
    () => Promise.reject(new Error("broken")),
    () => {
      throw new Error("broken");
    },
    () => new Promise(() => {}),
  ];
  for (const answer of callbacks) {
    // Applications in plain JavaScript may return anything.
    const permission: ShellOptions["permission"] = (request) => Object(answer)(request);
    const options = { workspace, permission, permissionTimeoutMs: 20 };
    const error = await refusal(options, { command: "touch ran" });
    assertEquals(error.code, "permission_denied");
  }
  assertEquals([...Deno.readDirSync(workspace)], []);
});

onUnix("the callback sees the very call, and cannot change it", async (workspace) => {
  await Deno.mkdir(`${workspace}/sub`);
  const seen: ShellPermissionRequest[] = [];
  const list = { args: ["echo", "a b", "it's"], working_dir: "sub" };
  const permission = (request: ShellPermissionRequest) => {
    seen.push(request);
    list.args[1] = "changed";
    return !Reflect.set(request, "command", "touch evil") &&
      !Reflect.set(request, "workingDir", "/") &&
      (request.args === undefined || !Reflect.set(request.args, "1", "changed"));
  };
  const context = contextOf();
  assertEquals((await run({ workspace, permission }, list, context)).stdout, "a b it's\n");
  await run({ workspace, permission }, { command: "echo 1" }, context);
  const about = { toolCallId: "call_1", signal: context.signal };
  const args = ["echo", "a b", "it's"];
  assertEquals(seen, [
    { command: `echo 'a b' 'it'\\''s'`, args, workingDir: `${workspace}/sub`, ...about },
    { command: "echo 1", workingDir: workspace, ...about },
  ]);
});

onUnix("a folder that was replaced after the grant is not run in", async (workspace) => {
  await Deno.mkdir(`${workspace}/sub`);
  for (
    const replace of [
      () => Deno.symlink("/", `${workspace}/sub`),
      () => Deno.mkdir(`${workspace}/sub`),
      () => Promise.resolve(),
    ]
  ) {
    const permission = async () => {
      await Deno.rename(`${workspace}/sub`, `${workspace}/moved`);
      await replace();
      return true;
    };
    const error = await refusal({ workspace, permission }, {
      command: "pwd",
      working_dir: "sub",
    });
    assertStringIncludes(error.message, "replaced");
    await Deno.remove(`${workspace}/sub`).catch(() => {});
    await Deno.rename(`${workspace}/moved`, `${workspace}/sub`);
  }
});

onUnix("the working folder is inside the workspace, whatever links say", async (workspace) => {
  await Deno.symlink("/", `${workspace}/out`);
  await Deno.writeTextFile(`${workspace}/file`, "");
  const folders = { "..": "outside", "/": "outside", "out": "outside", "out/tmp": "outside" };
  for (
    const [folder, problem] of Object.entries({
      ...folders,
      none: "nothing of that name",
      file: "not a folder",
    })
  ) {
    const requests: unknown[] = [];
    const permission = (request: unknown) => requests.push(request) > 0;
    const error = await refusal({ workspace, permission }, {
      command: "pwd",
      working_dir: folder,
    });
    assertStringIncludes(error.message, problem);
    assertEquals(requests, [], "what cannot run is not asked for");
  }
});

Deno.test("a call is a command line or a list, and only that", async () => {
  for (
    const input of [
      {},
      { command: "a", args: ["b"] },
      { command: "a\0b" },
      { args: ["a\0"] },
      { command: "" },
      { args: [1] },
      { command: "a", env: {} },
      { command: "a".repeat(32_769) },
      { args: Array(20_000).fill("aa") },
      { command: "echo \ud800" },
      { args: ["echo", "\ud800"] },
      { args: ["-c", "id"] },
    ]
  ) {
    const error = await refusal({ workspace: "." }, input);
    assertEquals(error.code, "invalid_tool_arguments");
  }
});

onUnix(
  "a command sees nothing of its service's environment, and can read nothing",
  async (workspace) => {
    Deno.env.set("TEST_API_KEY", "secret");
    try {
      const { stdout } = await run({ workspace }, { command: "env; cat; echo end" });
      const names = stdout.trim().split("\n").map((line) => line.split("=")[0] ?? "");
      const known = [
        "PATH",
        "LANG",
        "LC_ALL",
        "TZ",
        "TMPDIR",
        "HOME",
        "PWD",
        "SHLVL",
        "_",
        "OLDPWD",
        "SVC_TOOLS_RUN",
      ];
      // Deno hands this one on to every process while it measures coverage.
      const others = names.filter((name) => !known.includes(name) && name !== "NODE_V8_COVERAGE");
      assertEquals(others, ["end"]);
      assertStringIncludes(stdout, `HOME=${workspace}\n`);
    } finally {
      Deno.env.delete("TEST_API_KEY");
    }
  },
);

onUnix("a program is looked for in absolute folders alone", async (workspace) => {
  const before = Deno.env.get("PATH") ?? "";
  await Deno.writeTextFile(`${workspace}/planted`, "#!/bin/sh\necho planted", { mode: 0o755 });
  try {
    for (const path of [`.:${before}`, `:${before}`, `${before}::`, "../bin:bin", ""]) {
      Deno.env.set("PATH", path);
      const { exit_code, stdout } = await run({ workspace }, { command: "planted; echo $PATH" });
      assertEquals(exit_code, 0);
      const folders = stdout.trim().split(":");
      assertEquals(folders.filter((folder) => !folder.startsWith("/")), [], path);
    }
  } finally {
    Deno.env.set("PATH", before);
  }
});

onUnix(
  "processes in the background end with the command, their children too",
  async (workspace) => {
    const background = `(trap '' TERM; sleep 300 & echo $!; touch there; wait) & echo $!; ${THERE}`;
    const { exit_code, stdout } = await run({ workspace }, { command: background });
    assertEquals(exit_code, 0);
    assertEquals(stdout.trim().split("\n").length, 2);
    await assertGone(stdout);
  },
);

onUnix("the time limit ends children of children that ignore the request", async (workspace) => {
  const stubborn = "trap '' TERM; (sleep 300 & echo $!; wait) & echo $!; while :; do sleep 1; done";
  const result = await run({ workspace, timeoutMs: BEGUN_MS }, { command: stubborn });
  assertEquals([result.signal, result.stopped], ["SIGKILL", "It was stopped after 1500 ms"]);
  await assertGone(result.stdout);
  const polite = { command: "echo $$; exec sleep 300" };
  const ended = await run({ workspace, timeoutMs: BEGUN_MS }, polite);
  assertEquals([ended.exit_code, ended.signal], [null, "SIGTERM"]);
  await assertGone(ended.stdout);
});

onUnix("an abort ends the group", async (workspace) => {
  const controller = new AbortController();
  const command = { command: "sleep 300 & echo $! $$ > pids; mv pids ready; wait" };
  const running = run({ workspace }, command, contextOf(controller.signal));
  let pids: string | undefined;
  while (pids === undefined) {
    pids = await Deno.readTextFile(`${workspace}/ready`).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  controller.abort();
  assertMatch((await running).stopped ?? "", /not wanted/);
  await assertGone(pids);
  const late = await refusal(
    { workspace },
    { command: "touch ran" },
    contextOf(AbortSignal.abort()),
  );
  assertEquals(late.code, "permission_denied");
  assertEquals([...Deno.readDirSync(workspace)].map(({ name }) => name), ["ready"]);
});

onUnix("long output is cut in the middle, endless output ends the command", async (workspace) => {
  const options = { workspace, maxOutputBytes: 100 };
  const long = await run(options, { command: "seq 1 1000; seq 1 10 >&2" });
  assertMatch(
    long.stdout,
    /^1\n2\n[^]*\[Cut: 3793 of 3893 bytes are left out here\][^]*\n1000\n$/,
  );
  assertEquals([long.exit_code, long.stderr.split("\n").length], [0, 11]);
  const endless = await run(options, { command: "yes" });
  assertEquals(endless.stopped, "It was stopped because it wrote too much");
  assert(endless.stdout.length < 200);
});

Deno.test({
  name: "a process that left the group ends with the command, and its children too",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    inWorkspace(async (workspace) => {
      const daemon =
        `setsid sh -c 'echo $$; (sleep 300 & echo $!); touch there; exec sleep 300' & ${THERE}`;
      const { stopped, stdout } = await run({ workspace }, { command: daemon });
      assertEquals([stopped, stdout.trim().split("\n").length], [undefined, 2]);
      await assertGone(stdout);
      const options = { workspace, timeoutMs: BEGUN_MS };
      const late = await run(options, { command: `setsid sh -c 'echo $$; sleep 300' & sleep 300` });
      assertEquals(late.stopped, "It was stopped after 1500 ms");
      await assertGone(late.stdout);
    }),
});

onUnix("an endless limit is one, and no limit of nothing is taken", async (workspace) => {
  const endless = { workspace, timeoutMs: Infinity, permissionTimeoutMs: Infinity };
  assertEquals((await run(endless, { command: "sleep 0.05; echo 1" })).stdout, "1\n");
  for (const wrong of [{ timeoutMs: 0 }, { permissionTimeoutMs: NaN }, { maxOutputBytes: NaN }]) {
    assertThrows(() => shell(wrong), RangeError, Object.keys(wrong)[0]);
  }
});

Deno.test({
  name: "without the permission to run, the result names the flags",
  permissions: { run: false, env: false, read: true },
  async fn() {
    const error = await refusal({ workspace: "." }, { command: "id" });
    assertEquals(error.code, "permission_missing");
    assertStringIncludes(error.message, "--allow-run and --allow-env");
  },
});

Deno.test({
  name: "without the permission to read, the result names the flag",
  permissions: { run: true, env: true, read: false },
  async fn() {
    const error = await refusal({ workspace: "." }, { command: "id" });
    assertEquals(error.code, "permission_missing");
    assertStringIncludes(error.message, "--allow-read");
  },
});

Deno.test("the loop waits as long as the permission, the command and its end may take", () => {
  const { timeoutMs } = shell({ permissionTimeoutMs: 10, timeoutMs: 20 });
  assertEquals(timeoutMs, 2_030);
});
