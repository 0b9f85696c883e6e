import { assertEquals, assertMatch } from "@std/assert";
import { migrationTeller } from "./banner.ts";

Deno.test("a migration is told in at most twelve lines, however many commits it takes", () => {
  let text = "";
  const tell = migrationTeller((line) => void (text += line));
  const about = { from: 1, to: 2, what: "split the log", total: 1_000 };
  tell({ ...about, done: 0, state: "begins" });
  for (let done = 1; done <= about.total; done++) tell({ ...about, done, state: "works" });
  tell({ ...about, done: about.total, state: "ends" });
  const lines = text.trimEnd().split("\n");
  assertMatch(lines[0] ?? "", /^Bringing the store from schema 1 to 2: split the log\. .*backup/);
  assertEquals(lines.slice(1, 3), ["  100 of 1000", "  200 of 1000"]);
  assertEquals([lines.length, lines.at(-1)], [12, "The store has schema 2"]);
});
