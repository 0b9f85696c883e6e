import { assertEquals } from "@std/assert";
import { countsIn, type Job, startJob } from "./job.ts";

Deno.test("counts are those of the last summary, with or without colours, steps and ignored tests", () => {
  const colour = (text: string) => `\x1b[32m${text}\x1b[0m`;
  const inner = "ok | 1 passed | 0 failed (2ms)";
  const outer = `${colour("FAILED")} | 12 passed (3 steps) | 2 failed | 4 ignored ${
    colour("(1s)")
  }`;
  assertEquals(countsIn(`${inner}\nx ... ok\n\n${outer}\n`), { passed: 12, failed: 2, ignored: 4 });
  assertEquals(countsIn(inner), { passed: 1, failed: 0, ignored: 0 });
  assertEquals(countsIn("error: Module not found"), undefined);
});

async function outcomeOf(code: string, hasTests: boolean) {
  const job: Job = { name: "job", args: ["eval", "--no-lock", code], hasTests };
  return await startJob(job, Deno.cwd()).outcome;
}

Deno.test("a job that runs tests and prints no summary has failed, for any exit status", async () => {
  const { ok, output } = await outcomeOf('console.log("nothing")', true);
  assertEquals([ok, output], [false, "nothing\n"]);
});

Deno.test("a job that fails has failed, though its counts show no failure", async () => {
  const code = 'console.log("ok | 3 passed | 0 failed (1ms)"); Deno.exit(1)';
  const { ok, counts } = await outcomeOf(code, true);
  assertEquals([ok, counts.passed], [false, 3]);
});

Deno.test("a job without tests needs no summary", async () => {
  assertEquals((await outcomeOf("", false)).ok, true);
});
