/**
 * Upstreams that lie about what they used: what cannot be is counted here, what can be is believed up
 * to the hold, and no lie breaks an answer.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { chunk, FakeUpstream, json, LAST_CHUNK, streamHead } from "../../fixtures/fake_upstream.ts";
import { labConfig, QUESTION } from "../../fixtures/lab.ts";
import { postResponse } from "../../fixtures/responses_calls.ts";
import { CHAT, MESSAGES, RESPONSES, type Said } from "../../fixtures/answered_text.ts";
import { TestService } from "../../fixtures/service.ts";

/** JSON as an upstream writes it, which need not be any that we would write. */
interface Lie {
  readonly name: string;
  /** Texts of tokens in and out, and of those from the cache. */
  readonly input?: string;
  readonly output?: string;
  readonly cached?: string;
  readonly total?: string;
  /** In place of the whole report. */
  readonly whole?: string;
  readonly charge: bigint;
  /** @default {0n} */
  readonly writtenOff?: bigint;
  /** @default {false} */
  readonly estimated?: boolean;
}

/** "Hi" and "Hello there" are one token and two: 5 000 micro-credits. */
const COUNTED = { charge: 5_000n, estimated: true };
/** Hold of a call, less than a possible report. */
const HELD = 2_030_000n;

const LIES: readonly Lie[] = [
  ...["-5", '"5"', "null", "true", "[5]", "{}", '"NaN"', "-1e999"].flatMap((text): Lie[] => [
    { name: `output of ${text}`, output: text, ...COUNTED },
    { name: `input of ${text}`, input: text, ...COUNTED },
    // The totals are believed all the same: ten tokens in, none of them from a cache, and five out.
    { name: `cached input of ${text}`, cached: text, charge: 20_000n },
    { name: `a total of ${text}`, total: text, charge: 20_000n },
  ]),
  ...["7", '"much"', "[]", "null", "false", "[[10,5]]"].map((whole): Lie => ({
    name: `a report that is ${whole}`,
    whole,
    ...COUNTED,
  })),
  { name: "fractions of tokens", input: "10.2", output: "4.0001", ...COUNTED },
  { name: "less than nothing of nothing", input: "-0", output: "-0.0", total: "0", charge: 0n },
  { name: "more from the cache than there was", cached: "99", charge: 11_000n },
  { name: "a total that has more output than the completion", total: "25", charge: 40_000n },
  { name: "a total that is less than its parts", total: "12", charge: 20_000n },
  { name: "a total that cannot be", total: "999999", ...COUNTED },
  { name: "an infinite total", total: "1e999", ...COUNTED },
  { name: "an output of 1e308", output: "1e308", ...COUNTED },
  { name: "an output of 1e999, which is infinite", output: "1e999", ...COUNTED },
  { name: "two million tokens of output", output: "2000000", ...COUNTED },
  {
    name: "four times the output that is held",
    output: "4000",
    charge: HELD,
    writtenOff: 8_010_000n - HELD,
  },
];

const SUBJECTS = [
  { kind: "openai-compatible", wire: CHAT, names: ["prompt_tokens", "completion_tokens"] },
  { kind: "openai", wire: RESPONSES, names: ["input_tokens", "output_tokens"] },
] as const;

type Subject = typeof SUBJECTS[number];

/** Stands where the report is to be until the text is there. */
const PLACE = "usage-to-come";
const SAID: Said = { pieces: ["Hello", " there"], usage: { raw: PLACE } };

function reportOf(lie: Lie, [input, output]: Subject["names"]): string {
  if (lie.whole !== undefined) return lie.whole;
  const details = input === "prompt_tokens" ? "prompt_tokens_details" : "input_tokens_details";
  return `{"${input}":${lie.input ?? "10"},"${output}":${lie.output ?? "5"},` +
    `"total_tokens":${lie.total ?? "15"},"${details}":{"cached_tokens":${lie.cached ?? "0"}}}`;
}

for (const lie of LIES) {
  for (const subject of SUBJECTS) {
    for (const stream of [false, true]) {
      const how = `${subject.kind}, ${stream ? "streamed" : "as one body"}`;
      Deno.test(`an upstream reports ${lie.name}: ${how}`, () => believe(lie, subject, stream));
    }
  }
}

async function believe(lie: Lie, { kind, names, wire }: Subject, stream: boolean): Promise<void> {
  await using upstream = new FakeUpstream();
  const rewrite = (text: string) => text.replaceAll(JSON.stringify(PLACE), reportOf(lie, names));
  upstream.answer(
    stream
      ? [
        streamHead(),
        ...[...wire.begun(SAID), ...wire.ended(SAID)].map((text) => chunk(rewrite(text))),
        LAST_CHUNK,
      ]
      : bodyOf(rewrite(JSON.stringify(wire.whole(SAID)))),
  );
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl, upstream: { kind } });
  await using service = await TestService.start({ config });
  const response = kind === "openai"
    ? await postResponse(service, { input: "Hi", stream })
    : await service.chat({ messages: QUESTION, stream });
  const text = await response.text();
  assertEquals(response.status, 200, text);
  assert(!text.includes('"error":{'), text);
  const record = await service.lastRequest();
  const { spent, writtenOff } = await service.wallet();
  assertEquals([spent, writtenOff], [lie.charge, lie.writtenOff ?? 0n], text);
  assertEquals([record.outcome, record.estimated], ["ok", lie.estimated ?? false]);
  assert(text.includes(`"charged":"${record.charged}"`), text);
  await service.assertBooks();
}

function bodyOf(text: string) {
  return json({}, { headers: { "content-length": `${new TextEncoder().encode(text).length}` } })
    .map((step, at) => at === 1 ? { send: text } : step);
}

Deno.test("the last of several reports in a stream is the one that counts", async () => {
  await using upstream = new FakeUpstream();
  const report = (output: number): Said => ({ ...SAID, usage: { input: 10, output } });
  const frames = [...CHAT.reported?.(report(900)) ?? [], ...CHAT.ended(report(5))];
  upstream.answer([streamHead(), ...frames.map(chunk), LAST_CHUNK]);
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
  await using service = await TestService.start({ config });
  await (await service.chat({ messages: QUESTION, stream: true })).text();
  assertEquals((await service.wallet()).spent, 20_000n);
  await service.assertBooks();
});

/**
 * Results of Anthropic's package for invalid numbers: of 12 input tokens, and so many output
 * tokens.
 */
const CLAUDE: readonly (readonly [output: string, charge: bigint, writtenOff: bigint])[] = [
  ["5", 22_000n, 0n],
  ["-5", 5_000n, 0n],
  ["4.5", 5_000n, 0n],
  ["1e308", 5_000n, 0n],
  ["4000", HELD, 8_012_000n - HELD],
];

for (const [output, charge, writtenOff] of CLAUDE) {
  for (const stream of [false, true]) {
    Deno.test(`Claude reports an output of ${output}, ${stream ? "streamed" : "as one body"}`, async () => {
      await using upstream = new FakeUpstream();
      const rewrite = (text: string) =>
        text.replace('"output_tokens":5', `"output_tokens":${output}`);
      const frames = [...MESSAGES.begun(SAID), ...MESSAGES.ended(SAID)];
      upstream.answer(
        stream
          ? [streamHead(), ...frames.map((text) => chunk(rewrite(text))), LAST_CHUNK]
          : bodyOf(rewrite(JSON.stringify(MESSAGES.whole(SAID)))),
      );
      const settings = { kind: "anthropic" };
      const config = labConfig({ id: "only", baseUrl: upstream.baseUrl, upstream: settings });
      await using service = await TestService.start({ config });
      const response = await service.chat({ messages: QUESTION, stream });
      assertEquals(response.status, 200, await response.text());
      await service.quiet();
      const wallet = await service.wallet();
      assertEquals([wallet.spent, wallet.writtenOff], [charge, writtenOff]);
      await service.assertBooks();
    });
  }
}
