// Run by Node, from tools_test.ts.
import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

const { calculator, datetime, fileRead, fileWrite, shell, tool, z } = await import(
  process.env.BUNDLE
);

const context = { toolCallId: "call_1", signal: new AbortController().signal };
const call = ({ execute }, input) => execute(input, context);

/** Waits until a process is gone; one that stays makes the test fail, not hang. */
async function assertGone(pid) {
  assert.ok(pid > 0);
  for (let tries = 0; tries < 100; tries++) {
    try {
      process.kill(pid, 0);
    } catch (error) {
      return assert.equal(error.code, "ESRCH");
    }
    await delay(20);
  }
  assert.fail(`Process ${pid} is still running`);
}

test("calculator", async () => {
  const cases = { "0.1 + 0.2": "0.3", "2^100": String(2n ** 100n), "sqrt(2)": "1.4142135623731" };
  for (const [expression, result] of Object.entries(cases)) {
    assert.equal((await call(calculator(), { expression })).result, result);
  }
  await assert.rejects(call(calculator(), { expression: "9^9^9" }), { code: "out_of_range" });
});

test("datetime, without a Temporal of the host", async () => {
  const clock = datetime({ now: () => Date.UTC(2026, 0, 31) });
  const input = { operation: "add", datetime: "2026-03-28T12:00", zone: "Europe/Berlin" };
  const day = await call(clock, { ...input, duration: "1 day", locale: "de" });
  assert.equal(day.datetime, "2026-03-29T12:00:00+02:00");
  assert.match(day.text, /Sonntag/);
  const skipped = { operation: "convert", datetime: "2026-03-29T02:30", zone: "Europe/Berlin" };
  assert.match((await call(clock, skipped)).notes[0], /does not exist/);
  await assert.rejects(call(clock, { operation: "now", zone: "Berlin" }), /"Europe\/Berlin"/);
  const apart = { operation: "difference", datetime: "2024-02-29", until: "2026-03-01" };
  assert.equal((await call(clock, apart)).duration, "P2Y1D");
});

/** Does something with a folder that is there for it alone. */
async function inFolder(work) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tools-")));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("file_write and file_read", () =>
  inFolder(async (root) => {
    const requests = [];
    const permission = ({ mode, path, content }) => requests.push([mode, path, content]) > 0;
    const write = fileWrite({ workspace: root, permission });
    const read = fileRead({ workspace: root });
    const file = { path: "notes/a.txt", mode: "create", content: "one\ntwo\nthree\n" };
    assert.deepEqual(await call(write, file), { path: "notes/a.txt", size_bytes: 14 });
    await assert.rejects(call(write, file), /already|exists/);
    const change = { path: "notes/a.txt", mode: "replace", old_text: "two", content: "2" };
    await call(write, change);
    assert.equal(await readFile(join(root, "notes/a.txt"), "utf8"), "one\n2\nthree\n");
    const { content } = await call(read, { path: "notes/a.txt", start_line: 2, end_line: 2 });
    assert.equal(content, "2\n");
    assert.deepEqual(requests.at(-1), ["replace", "notes/a.txt", "2"]);
  }));

test("file_write and file_read keep to their workspace", () =>
  inFolder(async (outside) => {
    await writeFile(join(outside, "secret.txt"), "outside");
    await inFolder(async (root) => {
      await symlink(join(outside, "secret.txt"), join(root, "leaf"));
      await symlink(outside, join(root, "folder"));
      await writeFile(join(root, ".env"), "KEY=1");
      const write = fileWrite({ workspace: root, permission: () => true });
      const read = fileRead({ workspace: root });
      const paths = ["leaf", "folder/secret.txt", join(outside, "secret.txt"), "../x"];
      for (const path of paths) {
        await assert.rejects(call(read, { path }), path);
        await assert.rejects(call(write, { path, mode: "overwrite", content: "in" }), path);
      }
      await assert.rejects(call(read, { path: ".env" }));
      assert.equal(await readFile(join(outside, "secret.txt"), "utf8"), "outside");
      await assert.rejects(
        call(fileWrite({ workspace: root }), { path: "a", mode: "create", content: "" }),
        { code: "permission_denied" },
      );
    });
  }));

test("shell", () =>
  inFolder(async (workspace) => {
    const granted = shell({ workspace, permission: () => true, timeoutMs: 500 });
    process.env.SECRET = "hidden";
    const result = await call(granted, { command: "pwd; env; sleep 60 & echo pid=$!" });
    assert.equal(result.exit_code, 0);
    assert.ok(result.stdout.startsWith(`${workspace}\n`));
    assert.ok(!result.stdout.includes("hidden"));
    const stubborn = await call(granted, { command: "trap '' TERM; sleep 60 & wait; sleep 60" });
    assert.equal(stubborn.signal, "SIGKILL");
    if (process.platform === "linux") {
      const orphan = await call(granted, { command: "setsid sleep 60 & echo $!; sleep 0.2" });
      await assertGone(Number(orphan.stdout));
    }
    await assert.rejects(call(shell({ workspace }), { command: "id" }), {
      code: "permission_denied",
    });
  }));

test("typed tools", async () => {
  const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const twice = tool({ name: "twice", description: "", parameters, execute: ({ n }) => 2 * n });
  assert.equal(await call(twice, { n: 4 }), 8);
  await assert.rejects(call(twice, { n: "4" }), { code: "invalid_tool_arguments" });
});

test("tools typed with zod", async () => {
  const parameters = z.object({ city: z.string().min(1), days: z.int().default(3) });
  const execute = ({ city, days }) => `${city}: ${days}`;
  const weather = tool({ name: "weather", description: "", parameters, execute });
  assert.equal(weather.parameters.type, "object");
  assert.deepEqual(weather.parameters.required, ["city"]);
  assert.equal(await call(weather, { city: "Oslo" }), "Oslo: 3");
  for (const input of [{}, { city: "" }, { city: "Oslo", days: "2" }]) {
    await assert.rejects(call(weather, input), { code: "invalid_tool_arguments" });
  }
});
