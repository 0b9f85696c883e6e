import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import fc from "fast-check";
import { datetime } from "./datetime.ts";
import { sharedCases } from "./shared_cases_test.ts";
import { type ToolContext, ToolError } from "./tool.ts";

const CONTEXT: ToolContext = { toolCallId: "call_1", signal: new AbortController().signal };

interface Case {
  readonly input: Readonly<Record<string, unknown>>;
  /** The zone that the application sets. */
  readonly zone?: string;
}

const CASES = sharedCases<{
  readonly now: number;
  /** Members of the answer; `null` stands for an absent one. */
  readonly answers: readonly (Case & { readonly expect: Readonly<Record<string, unknown>> })[];
  readonly refusals: readonly (Case & { readonly code: string; readonly message: string })[];
}>("datetime");

interface Answer {
  readonly datetime: string;
  readonly zone: string;
  readonly weekday: string;
  readonly week: string;
  readonly utc: string;
  readonly unix_seconds: number;
  readonly rfc2822?: string;
  readonly text?: string;
  readonly notes?: readonly string[];
  readonly duration?: string;
  readonly [more: string]: unknown;
}

async function ask(input: Record<string, unknown>, zone?: string): Promise<Answer> {
  return Object(await datetime({ now: () => CASES.now, zone }).execute?.(input, CONTEXT));
}

Deno.test("answers of shared cases", async () => {
  for (const { input, zone, expect } of CASES.answers) {
    const answer = await ask(input, zone);
    for (const [name, expected] of Object.entries(expect)) {
      assertEquals(answer[name] ?? null, expected, `${JSON.stringify(input)}: ${name}`);
    }
  }
});

Deno.test("refusals of shared cases", async () => {
  for (const { input, zone, code, message } of CASES.refusals) {
    const error = await assertRejects(() => ask(input, zone), ToolError, message);
    assertEquals(error.code, code, error.message);
  }
});

Deno.test("the present comes from the system where no clock is given", async () => {
  const before = Date.now() / 1_000;
  const { unix_seconds } = Object(await datetime().execute?.({ operation: "now" }, CONTEXT));
  assert(unix_seconds >= before && unix_seconds <= Date.now() / 1_000);
});

Deno.test("a locale says it in words", async () => {
  const convert = { operation: "convert", datetime: "2026-11-21" };
  assertMatch((await ask({ ...convert, locale: "de" })).text ?? "", /^Samstag, 21\. November 2026/);
  assertMatch((await ask({ ...convert, locale: "zh-CN" })).text ?? "", /^2026年11月21日星期六/);
});

const zones = fc.constantFrom(
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "Pacific/Apia",
);
const moments = fc.integer({ min: -2_000_000_000, max: 4_000_000_000 });

Deno.test("every form in an answer can be read again, and means the same", async () => {
  await fc.assert(
    fc.asyncProperty(moments, zones, zones, async (seconds, zone, other) => {
      const reply = await ask({ operation: "convert", datetime: `@${seconds}`, zone });
      assertEquals(reply.unix_seconds, seconds);
      assertEquals(reply.utc, new Date(seconds * 1_000).toISOString().replace(".000Z", "Z"));
      const forms = [
        reply.utc,
        reply.datetime,
        `${reply.datetime}[${zone}]`,
        reply.rfc2822 ?? reply.utc,
      ];
      for (const text of forms) {
        const again = await ask({ operation: "convert", datetime: text, zone: other });
        assertEquals([again.unix_seconds, again.zone], [seconds, other], text);
      }
    }),
    { numRuns: 200 },
  );
});

Deno.test("adding the difference leads from one time to the other, across changes of the clocks", async () => {
  await fc.assert(
    fc.asyncProperty(moments, moments, zones, async (from, until, zone) => {
      const ends = { datetime: `@${from}`, until: `@${until}`, zone };
      const { duration } = await ask({ operation: "difference", ...ends });
      const reached = await ask({ operation: "add", datetime: `@${from}`, zone, duration });
      assertEquals(reached.unix_seconds, until);
    }),
    { numRuns: 200 },
  );
});
