import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { luaScript, wrkResult } from "./wrk.ts";

const REQUEST = { url: "http://127.0.0.1:1/v1/x", headers: { a: "b" }, body: "{}", stream: false };

Deno.test("a summary is read in seconds and milliseconds", () => {
  const summary = '{"requests":900,"micros":3000000,"p50Micros":250,"p99Micros":4000,"failed":0}';
  const result = wrkResult(`Running 3s test\nRESULT ${summary}\n`);
  assertEquals(result, { requests: 900, seconds: 3, p50Ms: 0.25, p99Ms: 4 });
});

Deno.test("a load with a failed request has no result", () => {
  const summary = '{"requests":900,"micros":3000000,"p50Micros":250,"p99Micros":4000,"failed":1}';
  assertThrows(() => wrkResult(`RESULT ${summary}\n`), Error, "1 of 900 requests failed");
  assertThrows(() => wrkResult("unable to connect\n"), Error, "unable to connect");
});

Deno.test("a body is written as a literal of Lua, byte by byte", () => {
  const script = luaScript({ ...REQUEST, body: '{"a":"\\é"}' });
  assertStringIncludes(script, 'wrk.body = "{\\034a\\034:\\034\\092\\195\\169\\034}"');
  assertStringIncludes(script, 'wrk.headers["a"] = "b"');
});

Deno.test("the last event is checked of streams alone", () => {
  const checks = [false, true].map((stream) =>
    luaScript({ ...REQUEST, stream }).includes("function response(")
  );
  assertEquals(checks, [false, true]);
});
