import { assertEquals } from "@std/assert";
import { killStragglers } from "./stragglers.ts";

const ignore = Deno.build.os !== "linux";

Deno.test({
  name: "a process that a scan misses in mid-fork is found by the next one, and killed",
  ignore,
  async fn() {
    const sleeper = new Deno.Command("sleep", { args: ["300"] }).spawn();
    const scans = [[], [sleeper.pid], [], []];
    let count = 0;
    await killStragglers("mark", () => Promise.resolve(scans[count++] ?? []));
    assertEquals((await sleeper.status).signal, "SIGKILL");
    assertEquals(count, 4);
  },
});

Deno.test({
  name: "processes are found by the mark in their environment, and no others are",
  ignore,
  async fn() {
    const mark = crypto.randomUUID();
    const sleep = (env: Record<string, string>) =>
      new Deno.Command("sleep", { args: ["300"], env }).spawn();
    const [marked, other] = [sleep({ MARK: mark }), sleep({ MARK: "other" })];
    await killStragglers(mark);
    assertEquals((await marked.status).signal, "SIGKILL");
    other.kill("SIGTERM");
    assertEquals((await other.status).signal, "SIGTERM");
  },
});

Deno.test({
  name: "the search for processes ends, though each scan finds one more",
  ignore,
  async fn() {
    let scans = 0;
    // No process has this number.
    await killStragglers("mark", () => Promise.resolve([2 ** 30 + scans++]));
    assertEquals(scans, 20);
  },
});
