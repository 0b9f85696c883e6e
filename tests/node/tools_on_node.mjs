// Run by Node, from tools_test.ts.
import assert from "node:assert/strict";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

const { calculator, datetime, shell, tool } = await import(process.env.BUNDLE);

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

test("shell", async () => {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), "tools-")));
  try {
    const granted = shell({ workspace, permission: () => true, timeoutMs: 500 });
    process.env.SECRET = "hidden";
    const result = await call(granted, { command: "pwd; env; sleep 60 & echo pid=$!" });
    assert.equal(result.exit_code, 0);
    assert.ok(result.stdout.startsWith(`${workspace}\n`));
    assert.ok(!result.stdout.includes("hidden"));
    const stubborn = await call(granted, { command: "trap '' TERM; sleep 60 & wait; sleep 60" });
    assert.equal(stubborn.signal, "SIGKILL");
    if (process.platform === "linux") {
      const left = await call(granted, { command: "setsid sleep 60 & echo $!; sleep 0.2" });
      await assertGone(Number(left.stdout));
    }
    await assert.rejects(call(shell({ workspace }), { command: "id" }), {
      code: "permission_denied",
    });
  } finally {
    await rm(workspace, { recursive: true });
  }
});

test("typed tools", async () => {
  const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const twice = tool({ name: "twice", description: "", parameters, execute: ({ n }) => 2 * n });
  assert.equal(await call(twice, { n: 4 }), 8);
  await assert.rejects(call(twice, { n: "4" }), { code: "invalid_tool_arguments" });
});
