/**
 * Shared parts of the fault tests: the faults, the kinds of upstreams, and the expected messages
 * for callers.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { QUESTION } from "../../fixtures/lab.ts";
import { postResponse } from "../../fixtures/responses_calls.ts";
import {
  CHAT,
  MESSAGES,
  RESPONSES,
  type Said,
  type SaidWire,
} from "../../fixtures/answered_text.ts";
import type { TestService } from "../../fixtures/service.ts";
import { BODIES, HALVES } from "./body_faults.ts";
import type { Outcome, Well } from "./fault.ts";
import { HEADS, ODDITIES, REFUSING, SILENT } from "./unheard_faults.ts";

/** All of them. */
export const FAULTS = [...SILENT, ...REFUSING, ...HEADS, ...ODDITIES, ...BODIES, ...HALVES];

/** A kind of upstream, and how it speaks. */
export interface Subject {
  readonly kind: string;
  readonly wire: SaidWire;
  /** The surface that callers use. */
  readonly surface: "chat" | "responses";
}

/** Each of the wires that are different. */
export const SUBJECTS: readonly Subject[] = [
  { kind: "openai-compatible", wire: CHAT, surface: "chat" },
  { kind: "anthropic", wire: MESSAGES, surface: "chat" },
  { kind: "openai", wire: RESPONSES, surface: "responses" },
];

/** 12 tokens in and 5 out: 12 000 and 10 000 micro-credits. */
const USAGE = { input: 12, output: 5 };
const WHOLE: Said = { pieces: ["Hello", " there"], usage: USAGE };
const WORD: Said = { pieces: ["Hello"] };

/** Status, code and charge: of what is whole 12 tokens and 5; of what broke one of each, counted. */
export const ENDS: Readonly<Record<Outcome, readonly [number, string | undefined, bigint]>> = {
  whole: [200, undefined, 22_000n],
  failed: [502, "upstream_error", 0n],
  late: [504, "upstream_timeout", 0n],
  limited: [429, "rate_limit_exceeded", 0n],
  broken: [200, "upstream_error", 3_000n],
  stalled: [200, "upstream_timeout", 3_000n],
};

/** The answer that a fault is done to. */
export function wellOf(wire: SaidWire, stream: boolean): Well {
  if (stream) {
    const half = wire.begun(WORD).join("");
    const body = [...wire.begun(WHOLE), ...wire.ended(WHOLE)].join("");
    return { stream, type: "text/event-stream", body, half };
  }
  const body = JSON.stringify(wire.whole(WHOLE));
  return { stream, type: "application/json", body, half: body.slice(0, body.length / 2) };
}

/** Asks on the subject's surface. */
export function ask(
  service: TestService,
  { surface }: Subject,
  stream: boolean,
): Promise<Response> {
  return surface === "chat"
    ? service.chat({ messages: QUESTION, stream })
    : postResponse(service, { input: "Hi", stream });
}

/** An answer as it arrived. */
export interface Told {
  readonly outcome: Outcome;
  readonly response: Response;
  readonly surface: Subject["surface"];
  readonly stream: boolean;
}

/** Asserts that a caller learned the outcome, and that no broken answer ended cleanly. */
export function assertTold(text: string, { outcome, response, surface, stream }: Told): void {
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
