import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import fc from "fast-check";
import { datetime } from "./datetime.ts";
import { type ToolContext, ToolError } from "./tool.ts";

const CONTEXT: ToolContext = { toolCallId: "call_1", signal: new AbortController().signal };
const NOW = Date.UTC(2026, 10, 21, 4, 37, 36);

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
  return Object(await datetime({ now: () => NOW, zone }).execute?.(input, CONTEXT));
}

function refusal(input: Record<string, unknown>): Promise<ToolError> {
  return assertRejects(() => ask(input), ToolError, undefined, JSON.stringify(input));
}

Deno.test("now, in UTC and in another zone", async () => {
  assertEquals(await ask({ operation: "now" }), {
    datetime: "2026-11-21T04:37:36+00:00",
    zone: "UTC",
    weekday: "Saturday",
    week: "2026-W47",
    day_of_year: 325,
    utc: "2026-11-21T04:37:36Z",
    unix_seconds: NOW / 1_000,
    rfc2822: "Sat, 21 Nov 2026 04:37:36 +0000",
  });
  const there = await ask({ operation: "now", zone: "america/new_york" });
  assertEquals([there.datetime, there.weekday], ["2026-11-20T23:37:36-05:00", "Friday"]);
  assertEquals([there.zone, there.utc], ["America/New_York", "2026-11-21T04:37:36Z"]);
  assertEquals((await ask({ operation: "now" }, "Asia/Tokyo")).zone, "Asia/Tokyo");
  assertEquals((await ask({ operation: "now", to_zone: "+05:30", zone: "" })).zone, "+05:30");
});

Deno.test("the present comes from the system where no clock is given", async () => {
  const before = Date.now() / 1_000;
  const { unix_seconds } = Object(await datetime().execute?.({ operation: "now" }, CONTEXT));
  assert(unix_seconds >= before && unix_seconds <= Date.now() / 1_000);
});

/** A time as it is written, and as it is understood. */
const READ: Readonly<Record<string, string>> = {
  "2026-03-29": "2026-03-29T00:00:00+00:00",
  "20260329": "2026-03-29T00:00:00+00:00",
  "2026-03-29T14:30": "2026-03-29T14:30:00+00:00",
  "2026-03-29 14:30:05.25": "2026-03-29T14:30:05.25+00:00",
  " 2026-03-29T14:30Z ": "2026-03-29T14:30:00+00:00",
  "2026-03-29T14:30:00+02:00": "2026-03-29T14:30:00+02:00",
  "2026-03-29T14:30-05": "2026-03-29T14:30:00-05:00",
  "2026-03-29T14:30[Asia/Tokyo]": "2026-03-29T14:30:00+09:00",
  "2026-07-01T14:30+02:00[Europe/Paris]": "2026-07-01T14:30:00+02:00",
  "Sun, 29 Mar 2026 14:30:00 +0200": "2026-03-29T14:30:00+02:00",
  "29 mar 2026 14:30 GMT": "2026-03-29T14:30:00+00:00",
  "1 Jan 2026 00:00:00 UT": "2026-01-01T00:00:00+00:00",
  "@0": "1970-01-01T00:00:00+00:00",
  "@1700000000.5": "2023-11-14T22:13:20.5+00:00",
  "@-1": "1969-12-31T23:59:59+00:00",
  "now": "2026-11-21T04:37:36+00:00",
  "Today": "2026-11-21T00:00:00+00:00",
  "": "2026-11-21T04:37:36+00:00",
  "0044-03-15": "0044-03-15T00:00:00+00:00",
  "-000043-03-15": "-000043-03-15T00:00:00+00:00",
};

Deno.test("times are read in every documented form", async () => {
  for (const [text, expected] of Object.entries(READ)) {
    const answer = await ask({ operation: "convert", datetime: text });
    assertEquals(answer.datetime, expected, text);
    assertEquals("rfc2822" in answer, !expected.startsWith("-"), text);
  }
});

Deno.test("a local time is read in the given zone, and other times are converted to it", async () => {
  const zone = "Europe/Berlin";
  const local = await ask({ operation: "convert", datetime: "2026-07-01T12:00", zone });
  assertEquals(local.utc, "2026-07-01T10:00:00Z");
  for (const text of ["2026-07-01T12:00Z", "2026-07-01T21:00[Asia/Tokyo]", "@1782907200"]) {
    const reply = await ask({ operation: "convert", datetime: text, zone });
    assertEquals([reply.datetime, reply.zone], ["2026-07-01T14:00:00+02:00", zone], text);
  }
  const moved = await ask({ operation: "convert", datetime: "2026-07-01", zone, to_zone: "UTC" });
  assertEquals(moved.datetime, "2026-06-30T22:00:00+00:00");
});

const UNREADABLE: Readonly<Record<string, string>> = {
  "03/04/2026": "Cannot read the time",
  "tomorrow": "Cannot read the time",
  "2026-02-30": "Cannot read the time",
  "2026-03-29T25:00": "Cannot read the time",
  "@99999999999999": "Cannot read the time",
  "@9999999999999": "Cannot read the time",
  "Mon, 29 Mar 2026 14:30:00 +0200": '2026-03-29 is a Sunday, not "Mon"',
  "Sun, 31 Feb 2026 14:30:00 +0200": "There is no 31 Feb 2026",
  "29 Mar 2026 14:30:00 PST": "Cannot read the time",
  "2026-03-29T14:30+05:00[Europe/Berlin]": "an offset must be the one",
  "2026-03-29T14:30[Europe/Berln]": 'did you mean "Europe/Berlin"?',
  "-271821-04-19T00:00": "Cannot read the time",
};

Deno.test("an invalid or ambiguous time is refused with the known forms", async () => {
  for (const [text, message] of Object.entries(UNREADABLE)) {
    const error = await refusal({ operation: "convert", datetime: text });
    assertStringIncludes(error.message, message, text);
  }
  await assertRejects(
    () => ask({ operation: "convert", datetime: "1".repeat(201) }),
    ToolError,
    "at most 200 characters",
  );
});

Deno.test("the answer states the interpretation of a time at a clock change", async () => {
  const zone = "Europe/Berlin";
  const gap = await ask({ operation: "convert", datetime: "2026-03-29T02:30", zone });
  assertEquals(gap.datetime, "2026-03-29T03:30:00+02:00");
  assertStringIncludes(gap.notes?.[0] ?? "", "does not exist in Europe/Berlin");
  const fold = await ask({ operation: "convert", datetime: "2026-10-25T02:30", zone });
  assertEquals(fold.datetime, "2026-10-25T02:30:00+02:00");
  assertStringIncludes(fold.notes?.[0] ?? "", "the second has the offset +01:00");
  const plain = await ask({ operation: "convert", datetime: "2026-10-25T04:30", zone });
  assertEquals(plain.notes, undefined);
  const both = { datetime: "2026-03-29T02:30", until: "2026-10-25T02:30", zone };
  assertEquals((await ask({ operation: "difference", ...both })).notes?.length, 2);
});

const SUMS: readonly (readonly [start: string, duration: string, expected: string])[] = [
  ["2026-01-31", "1 month", "2026-02-28T00:00:00+00:00"],
  ["2024-02-29", "P1Y", "2025-02-28T00:00:00+00:00"],
  ["2026-01-01", "1 year, 2 months and 3 days", "2027-03-04T00:00:00+00:00"],
  ["2026-01-01", "P1W", "2026-01-08T00:00:00+00:00"],
  ["2026-01-01", "-2 days", "2025-12-30T00:00:00+00:00"],
  ["2026-01-01", "-P1M", "2025-12-01T00:00:00+00:00"],
  ["2026-01-01", "1.5 hours", "2026-01-01T01:30:00+00:00"],
  ["2026-01-01", "2h 30min 5s", "2026-01-01T02:30:05+00:00"],
  ["2026-01-01", "pt90m", "2026-01-01T01:30:00+00:00"],
  ["2026-01-01", "+10 days", "2026-01-11T00:00:00+00:00"],
  ["2026-03-28T12:00[Europe/Berlin]", "1 day", "2026-03-29T12:00:00+02:00"],
  ["2026-03-28T12:00[Europe/Berlin]", "24 hours", "2026-03-29T13:00:00+02:00"],
  ["2026-10-24T12:00[Europe/Berlin]", "1 day", "2026-10-25T12:00:00+01:00"],
  ["2026-10-24T12:00[Europe/Berlin]", "24 hours", "2026-10-25T11:00:00+01:00"],
];

Deno.test("durations are added by the calendar, hours by the clock", async () => {
  for (const [start, duration, expected] of SUMS) {
    const answer = await ask({ operation: "add", datetime: start, duration });
    assertEquals(answer.datetime, expected, `${start} + ${duration}`);
  }
  const before = await ask({ operation: "subtract", datetime: "2026-03-31", duration: "1 month" });
  assertEquals(before.datetime, "2026-02-28T00:00:00+00:00");
});

Deno.test("an invalid duration is refused", async () => {
  const durations = [
    "soon",
    "",
    "5",
    "1.5 days",
    "1 day 2 days",
    "1 day -2 hours",
    "P",
    "1 fortnight",
  ];
  for (const duration of [...durations, "1 day !", "PT99999999999999999999H"]) {
    const error = await refusal({ operation: "add", duration });
    assertStringIncludes(error.message, "Cannot read the duration", duration);
  }
  const far = await refusal({ operation: "add", duration: "9999999 years" });
  assertStringIncludes(far.message, "outside the range of representable years");
  assertStringIncludes((await refusal({ operation: "add" })).message, 'needs "duration"');
  assertStringIncludes((await refusal({ operation: "difference" })).message, 'needs "until"');
});

Deno.test("difference tells calendar units, words and totals", async () => {
  const apart = { operation: "difference", datetime: "1990-05-17", until: "2026-11-21" };
  assertEquals(Object(await ask(apart)), {
    from: "1990-05-17T00:00:00+00:00",
    until: "2026-11-21T00:00:00+00:00",
    duration: "P36Y6M4D",
    text: "36 years, 6 months, 4 days",
    total_days: 13_337,
    total_hours: 320_088,
    total_seconds: 1_152_316_800,
  });
  const back = Object(await ask({ ...apart, datetime: "2026-11-22T00:00:01.5" }));
  assertEquals([back.duration, back.text, back.total_seconds], [
    "-P1DT1.5S",
    "1 day, 1.5 seconds earlier",
    -86_401.5,
  ]);
  const none = Object(await ask({ ...apart, until: "1990-05-17" }));
  assertEquals([none.duration, none.text, none.total_days], ["PT0S", "none", 0]);
  const short = { datetime: "2026-03-29T00:00", until: "2026-03-30T00:00", zone: "Europe/Berlin" };
  const day = Object(await ask({ operation: "difference", ...short, to_zone: "Europe/Berlin" }));
  assertEquals([day.total_days, day.total_hours], [1, 23]);
});

Deno.test("a locale says it in words", async () => {
  const convert = { operation: "convert", datetime: "2026-11-21" };
  assertMatch((await ask({ ...convert, locale: "de" })).text ?? "", /^Samstag, 21\. November 2026/);
  assertMatch((await ask({ ...convert, locale: "zh-CN" })).text ?? "", /^2026年11月21日星期六/);
  assertEquals((await refusal({ ...convert, locale: "not a locale" })).code, "unknown_locale");
});

Deno.test("an offset with seconds is shown in full", async () => {
  const reply = await ask({
    operation: "convert",
    datetime: "@-1096921749",
    zone: "America/St_Johns",
  });
  assertEquals([reply.datetime, reply.rfc2822], ["1935-03-29T23:59:59-03:30:52", undefined]);
  const again = await ask({ operation: "convert", datetime: reply.datetime });
  assertEquals([again.unix_seconds, again.zone], [-1096921749, "UTC"]);
});

Deno.test("weeks are those of ISO 8601", async () => {
  const weeks = {
    "2024-12-30": "2025-W01",
    "2027-01-03": "2026-W53",
    "0044-03-15": "0044-W11",
    "0000-01-01": "-000001-W52",
    "+010000-02-01": "+010000-W05",
  };
  for (const [text, week] of Object.entries(weeks)) {
    assertEquals((await ask({ operation: "convert", datetime: text })).week, week);
  }
});

const UNKNOWN_ZONES: Readonly<Record<string, string>> = {
  "Europe/Berln": 'did you mean "Europe/Berlin"?',
  "Berlin": 'did you mean "Europe/Berlin"?',
  "new york": 'did you mean "America/New_York"?',
  "Kolkata": 'did you mean "Asia/Kolkata"?',
  "Tokio": 'did you mean "Asia/Tokyo"?',
  "PST": "expected an IANA name",
  "Nowhere/Land": "expected an IANA name",
  "+99:00": "expected an IANA name",
};

Deno.test("an unknown zone is answered with the nearest; abbreviations are not guessed at", async () => {
  for (const [zone, hint] of Object.entries(UNKNOWN_ZONES)) {
    const error = await refusal({ operation: "now", zone });
    assertEquals(error.code, "unknown_zone");
    assertStringIncludes(error.message, hint, zone);
  }
  await assertRejects(() => ask({ operation: "now" }, "Mars/Olympus"), ToolError, "no time zone");
});

Deno.test("unknown operations and parameters are refused", async () => {
  assertStringIncludes((await refusal({ operation: "sleep" })).message, 'expected one of "now"');
  assertStringIncludes((await refusal({})).message, '"operation" is missing');
  assertStringIncludes((await refusal({ operation: "now", tz: "x" })).message, '"tz" is not known');
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
