import { assertEquals } from "@std/assert";
import { type AfterMs, afterMs, deadlinesOf, type TimerClock } from "./deadlines.ts";

/** A clock that a test moves. It has one timer, as deadlines promise. */
class ManualClock implements TimerClock {
  timer: { readonly dueMs: number; readonly run: () => void } | undefined;
  #nowMs = 0;

  nowMs(): number {
    return this.#nowMs;
  }

  start(ms: number, run: () => void): () => void {
    assertEquals(this.timer, undefined, "There is a timer already");
    const timer = { dueMs: this.#nowMs + ms, run };
    this.timer = timer;
    return () => {
      if (this.timer === timer) this.timer = undefined;
    };
  }

  /** Moves to each timer that is due until then, and runs it at its time. */
  passTo(nowMs: number): void {
    while (this.timer !== undefined && this.timer.dueMs <= nowMs) this.jumpTo(this.timer.dueMs);
    this.#nowMs = nowMs;
  }

  /** Simulates a paused process: the timer runs late. */
  jumpTo(nowMs: number): void {
    this.#nowMs = nowMs;
    const { timer } = this;
    if (timer === undefined || timer.dueMs > nowMs) return;
    this.timer = undefined;
    timer.run();
  }
}

function lab(): { clock: ManualClock; passed: string[]; set: AfterMs } {
  const clock = new ManualClock();
  return { clock, passed: [], set: deadlinesOf(clock) };
}

Deno.test("deadlines pass in the order they are due, for any order of setting", () => {
  const { clock, passed, set } = lab();
  set(30, () => passed.push("late"));
  set(5, () => passed.push("early"));
  set(15, () => passed.push("middle"));
  clock.passTo(4);
  assertEquals(passed, []);
  clock.passTo(5);
  assertEquals(passed, ["early"]);
  clock.passTo(29);
  assertEquals(passed, ["early", "middle"]);
  clock.passTo(30);
  assertEquals(passed, ["early", "middle", "late"]);
  assertEquals(clock.timer, undefined);
});

Deno.test("deadlines that are due together pass in the order they were set", () => {
  const { clock, passed, set } = lab();
  const callOff = set(5, () => passed.push("first"));
  for (const name of ["second", "third", "fourth"]) set(5, () => passed.push(name));
  callOff();
  clock.passTo(5);
  assertEquals(passed, ["second", "third", "fourth"]);
});

Deno.test("deadlines that are all overdue pass in the order they were due", () => {
  const { clock, passed, set } = lab();
  for (const [ms, name] of [[6, "late"], [2, "early"], [4, "middle"]] as const) {
    set(ms, () => passed.push(name));
  }
  clock.jumpTo(10);
  assertEquals(passed, ["early", "middle", "late"]);
});

Deno.test("a deadline passes when the timer fires a fraction of a millisecond early", () => {
  const { clock, passed, set } = lab();
  set(5.4, () => passed.push("due"));
  const run = clock.timer?.run;
  clock.timer = undefined;
  clock.jumpTo(5);
  run?.();
  assertEquals(passed, ["due"]);
});

Deno.test("a deadline that was called off does not pass, and leaves no timer behind", () => {
  const { clock, passed, set } = lab();
  const callOff = set(1, () => passed.push("called off"));
  const other = set(60_000, () => passed.push("never"));
  callOff();
  callOff();
  clock.passTo(10);
  other();
  assertEquals([passed, clock.timer], [[], undefined]);
});

Deno.test("a deadline that passes can call another one off that is due too, and set a new one", () => {
  const { clock, passed, set } = lab();
  const calls: (() => void)[] = [];
  set(2, () => {
    passed.push("first");
    calls[0]?.();
    set(1, () => passed.push("new"));
  });
  calls.push(set(2, () => passed.push("second")));
  clock.passTo(10);
  assertEquals(passed, ["first", "new"]);
});

Deno.test("deadlines of the process run on its own clock", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const never = afterMs(60_000, () => resolve());
  afterMs(1, resolve);
  await promise;
  never();
});
