/**
 * An upstream that does what each request's script says, when the simulation lets it.
 *
 * @module
 */

import type { AttemptOutcome } from "@svc/sdk/protocol";
import type { UpstreamConfig } from "../../gateway/domain/catalog/catalog.ts";
import {
  type Upstream,
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamCut,
} from "../../gateway/ports/upstream.ts";
import { readChatUsage } from "../../gateway/wire/chat/usage.ts";
import { chunkText, completion, usage, usageChunk } from "../fixtures/lab.ts";

/** Tokens as an upstream claims them. */
export interface ClaimedUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** What upstreams do with one request. */
export interface Script {
  /** How the first attempts fail before their first byte; the next one answers. */
  readonly failures: readonly Exclude<AttemptOutcome, "ok" | "cut" | "cancelled">[];
  /** Words of the answer; a word is a token. */
  readonly words: number;
  /** What is said in their place, in one piece. */
  readonly says?: string | undefined;
  /** As it is reported; absent: not at all. */
  readonly usage?: ClaimedUsage | undefined;
  /** Usage comes with the first event of a stream, and not with its last. */
  readonly usageFirst: boolean;
  /** Tokens of output in a report that can be none: nothing is to come of it. @default {none is sent} */
  readonly falseUsage?: number | undefined;
  /** A stream is cut after so many events. @default {it ends} */
  readonly cutAfter?: number | undefined;
}

/** One call of an upstream, and what of it has reached the gateway. */
export interface Attempt {
  readonly request: number;
  /** Which part of its request it is for. */
  readonly part: string;
  /** Catalog id of its model. */
  readonly model: string;
  /** Tokens that it was sent. */
  readonly asked: number;
  /** The same as checkpoints count them, which look at more than words. */
  readonly askedAtLeast: number;
  /** The hold that was taken for it; absent where calls of a request run at once. */
  readonly holdId: string | undefined;
  readonly script: Script;
  readonly drains: boolean;
  /** How it ends before its first byte; absent: it answers. */
  readonly failure?: Script["failures"][number] | undefined;
  words: number;
  usage: ClaimedUsage | undefined;
  /** All that there was has been given, or the connection was cut by the script. */
  ended: boolean;
  /** It has said that this is all. */
  finished: boolean;
  /** Nobody listens any more. */
  cancelled: boolean;
  /** It is over, one way or the other. */
  over: boolean;
  /** When that was, in the simulation's milliseconds. */
  overMs?: number;
  /** What of it had come when its caller left: nothing after that can have been delivered. */
  wordsWhenLeft?: number;
}

/** What waits for the simulation to let it go on. */
export interface Waiting {
  readonly what: string;
  go(): void;
}

/** What scripted upstreams need of the simulation. */
export interface UpstreamStage {
  nowMs(): number;
  /** Called when a call has come in. */
  begin(call: UpstreamCall, drains: boolean): Attempt;
  wait(waiting: Waiting): void;
  forget(waiting: Waiting): void;
}

/** The upstream of a configuration. */
export function scriptedUpstream(config: UpstreamConfig, stage: UpstreamStage): Upstream {
  return {
    id: config.id,
    call: async (call) => {
      const attempt = stage.begin(call, config.onDisconnect === "drain");
      const given = await answer(stage, call, attempt);
      if (given.kind !== "stream") end(stage, attempt);
      return given;
    },
    models: () => Promise.resolve([]),
    close: () => {},
  };
}

function end(stage: UpstreamStage, attempt: Attempt): void {
  attempt.over = true;
  attempt.overMs = stage.nowMs();
}

async function answer(
  stage: UpstreamStage,
  call: UpstreamCall,
  attempt: Attempt,
): Promise<UpstreamAnswer> {
  const { failure, script, request } = attempt;
  if (!await turn(stage, attempt, { what: `answer ${request}`, signal: call.signal })) {
    return { kind: "failure", outcome: "cancelled", message: "Called off" };
  }
  if (failure !== undefined) {
    attempt.ended = true;
    return { kind: "failure", outcome: failure, message: `Scripted: ${failure}` };
  }
  if (call.stream) return { kind: "stream", events: eventsOf(stage, call, attempt) };
  attempt.ended = true;
  const content = script.says ?? wordsOf(wordsWithin(script, call));
  attempt.words = tokensOf(content);
  attempt.usage = script.usage;
  attempt.finished = true;
  const value = completion({ usage: reportOf(script.usage) ?? lieOf(script) }, { content });
  const body = { text: JSON.stringify(value), value };
  return { kind: "json", body, usage: readChatUsage(value.usage) };
}

/** Waits for its turn; false where the gateway calls it off first. */
function turn(
  stage: UpstreamStage,
  attempt: Attempt,
  { what, signal }: { what: string; signal: AbortSignal },
): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = () => {
      attempt.cancelled = true;
      stage.forget(waiting);
      resolve(false);
    };
    const waiting: Waiting = {
      what,
      go: () => {
        stage.forget(waiting);
        signal.removeEventListener("abort", leave);
        resolve(true);
      },
    };
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave, { once: true });
    stage.wait(waiting);
  });
}

async function* eventsOf(
  stage: UpstreamStage,
  call: UpstreamCall,
  attempt: Attempt,
): AsyncGenerator<readonly string[]> {
  const { script, request } = attempt;
  const { signal } = call;
  const events = scriptedEvents(script, wordsWithin(script, call));
  const what = `stream ${request}`;
  try {
    for (const [at, event] of events.entries()) {
      if (at > 0 && !await turn(stage, attempt, { what, signal })) {
        throw new UpstreamCut("cut", "Called off");
      }
      if (at === script.cutAfter) break;
      attempt.words += event.words ?? 0;
      if (event.isUsage) attempt.usage = script.usage;
      attempt.finished ||= event.isFinish ?? false;
      yield [event.text];
    }
    attempt.ended = true;
    if (script.cutAfter !== undefined) throw new UpstreamCut("cut", "The connection broke");
  } finally {
    end(stage, attempt);
  }
}

interface ScriptedEvent {
  readonly text: string;
  /** Tokens of the answer that it carries. @default {0} */
  readonly words?: number;
  readonly isUsage?: boolean;
  readonly isFinish?: boolean;
}

/** Words of an answer that keeps to its limit: a longer one is ended by the gateway, and counted. */
function wordsWithin({ words }: Script, { outputLimit, body }: UpstreamCall): number {
  const { max_tokens, max_completion_tokens, max_output_tokens } = body.value;
  const limits = [outputLimit, max_tokens, max_completion_tokens, max_output_tokens]
    .filter((limit) => typeof limit === "number");
  return Math.min(words, ...limits);
}

function scriptedEvents(script: Script, count: number): ScriptedEvent[] {
  const reported: ScriptedEvent[] = script.usage === undefined
    ? []
    : [{ text: usageChunk(reportOf(script.usage)), isUsage: true }];
  const lie = lieOf(script);
  const lies: ScriptedEvent[] = lie === undefined ? [] : [{ text: usageChunk(lie) }];
  const pieces = script.says === undefined
    ? Array.from({ length: count }, () => wordsOf(1))
    : [script.says];
  const words = pieces.map((content) => ({
    text: chunkText({ content }),
    words: tokensOf(content),
  }));
  return [
    { text: chunkText({ role: "assistant", content: "" }) },
    ...script.usageFirst ? reported : [],
    ...lies,
    ...words,
    { text: chunkText({}, "stop"), isFinish: true },
    ...script.usageFirst ? [] : reported,
    ...lies,
  ];
}

function reportOf(claimed: ClaimedUsage | undefined): unknown {
  return claimed && usage(claimed.input, claimed.output, claimed.cached);
}

/** A report that is none, for all that it says. */
function lieOf({ falseUsage }: Script): unknown {
  return falseUsage === undefined ? undefined : usage(7, falseUsage);
}

/** So many tokens of text. */
export function wordsOf(count: number): string {
  return "w ".repeat(count);
}

/** Tokens of a text: its words. */
export function tokensOf(text: string): number {
  return text.split("w ").length - 1;
}
