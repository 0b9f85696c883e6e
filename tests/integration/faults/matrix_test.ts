/**
 * Every fault of an upstream, on every wire, streamed and not: the caller is told the truth, the bill
 * is right to the micro-credit, and no connection stays behind.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { FakeUpstream } from "../../fixtures/fake_upstream.ts";
import { labConfig, QUESTION } from "../../fixtures/lab.ts";
import { postResponse } from "../../fixtures/responses_calls.ts";
import { CHAT, MESSAGES, RESPONSES, type Said, type SaidWire } from "../../fixtures/said.ts";
import { TestService, until } from "../../fixtures/service.ts";
import { BODIES, HALVES } from "./body_faults.ts";
import type { Fault, Outcome, Well } from "./fault.ts";
import { HEADS, ODDITIES, REFUSING, SILENT } from "./unheard_faults.ts";

const FAULTS = [...SILENT, ...REFUSING, ...HEADS, ...ODDITIES, ...BODIES, ...HALVES];

/** A kind of upstream, and how it speaks. */
interface Subject {
  readonly kind: string;
  readonly wire: SaidWire;
  /** The surface that callers use. */
  readonly surface: "chat" | "responses";
}

const SUBJECTS: readonly Subject[] = [
  { kind: "openai-compatible", wire: CHAT, surface: "chat" },
  { kind: "anthropic", wire: MESSAGES, surface: "chat" },
  { kind: "openai", wire: RESPONSES, surface: "responses" },
];

/** 12 tokens in and 5 out: 12 000 and 10 000 micro-credits. */
const USAGE = { input: 12, output: 5 };
const WHOLE: Said = { pieces: ["Hello", " there"], usage: USAGE };
const WORD: Said = { pieces: ["Hello"] };

/** Status, code and charge: of what is whole 12 tokens and 5; of what broke one of each, counted. */
const ENDS: Readonly<Record<Outcome, readonly [number, string | undefined, bigint]>> = {
  whole: [200, undefined, 22_000n],
  failed: [502, "upstream_error", 0n],
  late: [504, "upstream_timeout", 0n],
  limited: [429, "rate_limit_exceeded", 0n],
  broken: [200, "upstream_error", 3_000n],
  stalled: [200, "upstream_timeout", 3_000n],
};

function wellOf(wire: SaidWire, stream: boolean): Well {
  if (stream) {
    const half = wire.begun(WORD).join("");
    const body = [...wire.begun(WHOLE), ...wire.ended(WHOLE)].join("");
    return { stream, type: "text/event-stream", body, half };
  }
  const body = JSON.stringify(wire.whole(WHOLE));
  return { stream, type: "application/json", body, half: body.slice(0, body.length / 2) };
}

for (const fault of FAULTS) {
  for (const subject of SUBJECTS) {
    for (const stream of [false, true]) {
      const how = stream ? "streamed" : "as one body";
      const name = `an upstream of kind ${subject.kind}: ${fault.name}, ${how}`;
      Deno.test(name, () => suffer(fault, subject, stream));
    }
  }
}

async function suffer(fault: Fault, subject: Subject, stream: boolean): Promise<void> {
  const { kind, surface, wire } = subject;
  await using upstream = new FakeUpstream();
  upstream.answer(fault.script(wellOf(wire, stream)));
  const timeouts = { connectMs: 5_000, firstByteMs: 20_000, idleMs: 20_000, ...fault.limits };
  const config = labConfig({
    id: "only",
    baseUrl: upstream.baseUrl,
    upstream: { kind, timeouts },
  });
  {
    await using service = await TestService.start({ config });
    const response = surface === "chat"
      ? await service.chat({ messages: QUESTION, stream })
      : await postResponse(service, { input: "Hi", stream });
    const outcome = stream ? fault.stream : fault.json;
    assertTold(await response.text(), { outcome, response, surface, stream });
    if (outcome === "limited") assertEquals(response.headers.get("retry-after"), "7");
    await service.quiet();
    const { spent, writtenOff } = await service.wallet();
    assertEquals([spent, writtenOff], [ENDS[outcome][2], 0n]);
    await service.assertBooks();
    assertEquals(upstream.requests.length, 1, "nobody is asked twice");
    if (fault.mayKeep) assert(upstream.open <= 1);
    else await until(() => upstream.open === 0, "the connection to be closed");
    assertEquals(service.logs.filter(({ event }) => event === "internal_error"), []);
  }
  await until(() => upstream.open === 0, "every connection to be closed");
}

interface Told {
  readonly outcome: Outcome;
  readonly response: Response;
  readonly surface: Subject["surface"];
  readonly stream: boolean;
}

function assertTold(text: string, { outcome, response, surface, stream }: Told): void {
  const [status, code] = ENDS[outcome];
  assertEquals(response.status, status, text);
  const codes = [...text.matchAll(/"code":"((?:upstream|rate)_\w+)"/g)].map((match) => match[1]);
  assertEquals(codes, code === undefined ? [] : [code], text);
  if (status !== 200) assertEquals(JSON.parse(text).error.code, code);
  if (!stream || status !== 200) return;
  assert(text.includes('"Hello"'), text);
  const clean = surface === "chat" ? /^data: \[DONE\]$/m : /^event: response\.completed$/m;
  assertEquals(clean.test(text), outcome === "whole", text);
}
