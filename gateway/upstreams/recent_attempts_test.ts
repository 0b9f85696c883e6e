import { assertEquals } from "@std/assert";
import { RECENT_MINUTES, RecentAttempts } from "./recent_attempts.ts";

function counted() {
  let ms = 0;
  const recent = new RecentAttempts({ nowMs: () => 0, monotonicMs: () => ms });
  return { recent, pass: (minutes: number) => ms += minutes * 60_000 };
}

Deno.test("attempts are counted by upstream; an error of the caller is not a failure", () => {
  const { recent } = counted();
  for (const outcome of ["ok", "server_error", "cancelled", "refused_input", "timeout"] as const) {
    recent.note({ upstream: "a", outcome, hadBegun: false });
  }
  recent.note({ upstream: "b", outcome: "rate_limited", hadBegun: false });
  assertEquals(recent.of("a"), { attempts: 5, failures: 2, failovers: 0 });
  assertEquals(recent.of("b"), { attempts: 1, failures: 1, failovers: 0 });
  assertEquals(recent.of("c"), { attempts: 0, failures: 0, failovers: 0 });
});

Deno.test("an answer that broke off is one attempt, and a failure", () => {
  const { recent } = counted();
  recent.note({ upstream: "a", outcome: "ok", hadBegun: false });
  recent.note({ upstream: "a", outcome: "cut", hadBegun: true });
  assertEquals(recent.of("a"), { attempts: 1, failures: 1, failovers: 0 });
});

Deno.test("attempts older than the window are forgotten, also without new ones", () => {
  const { recent, pass } = counted();
  for (let minute = 0; minute < 2 * RECENT_MINUTES; minute++) {
    recent.note({ upstream: "a", outcome: "timeout", hadBegun: false });
    pass(1);
  }
  assertEquals(recent.of("a").attempts, RECENT_MINUTES - 1);
  pass(RECENT_MINUTES);
  assertEquals(recent.of("a"), { attempts: 0, failures: 0, failovers: 0 });
});

Deno.test("failures after which another model was asked are counted beside the others", () => {
  const { recent, pass } = counted();
  for (const isFollowed of [true, false, true]) {
    recent.note({ upstream: "a", outcome: "server_error", hadBegun: false });
    if (isFollowed) recent.failedOver("a");
  }
  assertEquals(recent.of("a"), { attempts: 3, failures: 3, failovers: 2 });
  pass(RECENT_MINUTES);
  assertEquals(recent.of("a").failovers, 0);
});
