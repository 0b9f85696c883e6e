import { assertEquals, assertMatch } from "@std/assert";
import { migrationTeller, startLines } from "./banner.ts";

Deno.test("a migration is reported in at most twelve lines, however many commits it takes", () => {
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

Deno.test("every start names the addresses, that of the console too", () => {
  const text = startLines({
    version: "1.2.3",
    publicUrl: "http://127.0.0.1:1",
    adminUrl: "http://127.0.0.1:2",
    store: "data/svc.kv",
    upstreams: "The simulator answers",
    catalogVersion: 4,
    notices: ['The former "scoring" of svc.json now means the dial best'],
  });
  const lines = text.trimEnd().split("\n");
  assertEquals(
    lines.pop(),
    '  note       The former "scoring" of svc.json now means the dial best',
  );
  assertEquals(lines[0], "svc 1.2.3 is ready");
  assertMatch(lines[3] ?? "", /^ {2}console {4}http:\/\/127\.0\.0\.1:2\/console {2}\(sign in with/);
  assertMatch(lines.at(-1) ?? "", /catalog version 4\)$/);
});

Deno.test("a start names the other addresses of the admin listener, and that of metrics", () => {
  const text = startLines({
    version: "1.2.3",
    publicUrl: "http://127.0.0.1:1",
    adminUrl: "http://127.0.0.1:2",
    adminUrls: ["https://ops.example.com"],
    metricsUrl: "http://127.0.0.1:3/metrics",
    store: "data/svc.kv",
    upstreams: "The simulator answers",
    catalogVersion: 4,
  });
  assertMatch(text, /^ {2}admin {6}http:\/\/127\.0\.0\.1:2 {2}\(https:\/\/ops\.example\.com\)$/m);
  assertMatch(text, /^ {2}console {4}https:\/\/ops\.example\.com\/console /m);
  assertMatch(text, /^ {2}metrics {4}http:\/\/127\.0\.0\.1:3\/metrics$/m);
});
