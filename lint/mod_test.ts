import { assertEquals } from "@std/assert";
import plugin from "./mod.ts";

const DOMAIN = "/checkout/gateway/domain/routing/route.ts";

/** Returns the rules that a source violates, each with the first offending text. */
function objections(filename: string, source: string): string[] {
  const findings = Deno.lint.runPlugin(plugin, filename, source);
  return [...new Set(findings.map(({ id, range }) => `${id}: ${source.slice(...range)}`))];
}

for (
  const [source, where = source] of [
    ["Date.now()", "Date.now"],
    ['Date["now"]()', 'Date["now"]'],
    ["new Date()"],
    ["Date()"],
    ["performance.now()", "performance"],
    ["Math.random()", "Math.random"],
    ["crypto.randomUUID()", "crypto"],
    ["Deno.cwd()", "Deno"],
    ["Temporal.Now.instant()", "Temporal.Now"],
    ["fetch(url)", "fetch"],
    ["const get = fetch;", "fetch"],
    ["({ fetch })", "fetch"],
    ["setTimeout(f, 1)", "setTimeout"],
    ["setInterval(f, 1)", "setInterval"],
    ["console.log(1)", "console"],
    ["globalThis.Deno", "globalThis"],
    ['self.fetch("x")', "self"],
    ["eval(text)", "eval"],
    ["localStorage.x", "localStorage"],
    ["AbortSignal.timeout(5)", "AbortSignal.timeout"],
    ["new Intl.DateTimeFormat()", "Intl.DateTimeFormat"],
    ["const { now } = Date;", "Date"],
    ["const { random } = Math;", "Math"],
    ["const D = Date; new D();", "Date"],
    ["Reflect.construct(Date, [])", "Date"],
    ["({ Date })", "Date"],
    ["Date[`now`]()", "Date"],
    ["Math[name]()", "Math"],
    ['import "node:fs";'],
    ['import { z } from "zod";'],
    ['import type { Clock } from "../../ports/clock.ts";'],
    ['import { x } from "@svc/sdk";'],
    ['export { x } from "../../flows/chat.ts";'],
    ['export * from "../../flows/chat.ts";'],
    ['await import("../../flows/chat.ts")', 'import("../../flows/chat.ts")'],
    ["await import(name)", "import(name)"],
  ]
) {
  Deno.test(`pure-domain refuses ${source}`, () => {
    assertEquals(objections(DOMAIN, source ?? ""), [`svc/pure-domain: ${where}`]);
  });
}

for (
  const source of [
    "new Date(nowMs).toISOString()",
    "Math.max(1, 2)",
    "Date.UTC(2026, 0)",
    'Math["max"](1, 2)',
    "at instanceof Date",
    "const at: Date = f(); type Now = typeof Date;",
    "const names = { Date: 1 }; names.Math;",
    "input.fetch.now",
    "const limits = { fetch: 1, crypto: 2 };",
    "interface Clock { performance: number; fetch(): void }",
    "class Pool { fetch = 1; process() {} }",
    'import type { Endpoint } from "@svc/sdk/protocol";',
    'import { invariant } from "./invariant.ts";',
    'import { score } from "./scoring/score.ts";',
    "export { score };",
  ]
) {
  Deno.test(`pure-domain allows ${source}`, () => {
    assertEquals(objections(DOMAIN, source), []);
  });
}

Deno.test("pure-domain leaves tests and the other packages alone", () => {
  const source = 'import { assert } from "@std/assert"; Date.now();';
  for (
    const filename of [
      "gateway/domain/routing/route_test.ts",
      "gateway/flows/chat.ts",
      "sdk/client.ts",
      "C:\\checkout\\gateway\\flows\\chat.ts",
    ]
  ) {
    assertEquals(objections(filename, source), []);
  }
  assertEquals(objections("C:\\checkout\\gateway\\domain\\money.ts", "Date.now()"), [
    "svc/pure-domain: Date.now",
  ]);
});

for (
  const [source, where = source] of [
    ['Deno.env.get("HOME")', "Deno.env"],
    ["process.env.HOME", "process.env"],
    ['import { env } from "node:process";', "env"],
    ['import { env as e } from "node:process";', "env as e"],
    ['export { env } from "node:process";', "env"],
    ['import system from "node:process";', "system"],
    ['import * as system from "node:process";', "* as system"],
    ['Deno["env"]'],
    ["globalThis.Deno.env"],
    ["const { env } = Deno;", "Deno"],
    ["const { env: e } = process;", "process"],
    ["const d = Deno;", "Deno"],
    ["Deno[name]", "Deno"],
  ]
) {
  Deno.test(`environment-at-the-edge refuses ${source} in the gateway but not at its edge`, () => {
    const findings = [`svc/environment-at-the-edge: ${where}`];
    assertEquals(objections("gateway/http/server.ts", source ?? ""), findings);
    for (const filename of ["gateway/main.ts", "gateway/http/server_test.ts", "sdk/client.ts"]) {
      assertEquals(objections(filename, source ?? ""), []);
    }
  });
}

Deno.test("environment-at-the-edge allows what only looks alike", () => {
  const source = `import process, { pid } from "node:process"; import { env } from "./env.ts";
    options.env; process.memoryUsage(); Deno["cwd"](); let info: Deno.FsFile; ({ process: 1 });`;
  assertEquals(objections("gateway/http/server.ts", source), []);
});

Deno.test("function-length counts the lines of each kind of function", () => {
  const body = (lines: number) => `{${"\n".repeat(lines - 1)}}`;
  for (
    const [head, tail = ""] of [
      ["function f() "],
      ["const f = () => "],
      ["const f = function () "],
      ["class A { m() ", "}"],
      ["class A { static get x() ", "}"],
      ["class A { constructor() ", "}"],
      ["const o = { async *m() ", "}"],
    ]
  ) {
    assertEquals(objections("sdk/a.ts", head + body(60) + tail), []);
    const findings = Deno.lint.runPlugin(plugin, "sdk/a.ts", head + body(61) + tail);
    assertEquals(findings.map(({ message }) => message), [
      "This function has 61 lines, more than 60",
    ]);
  }
});

Deno.test("file-length counts the lines of a file, a last newline not included", () => {
  const file = (lines: number) => "export {};\n".repeat(lines);
  assertEquals(objections("sdk/a.ts", file(400)), []);
  const findings = Deno.lint.runPlugin(plugin, "sdk/a.ts", file(401));
  assertEquals(findings.map(({ message }) => message), ["This file has 401 lines, more than 400"]);
});
