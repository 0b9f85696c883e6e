/**
 * An upstream that follows the script of each request, when the simulation lets it.
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

/** Token counts as an upstream claims them. */
export interface ClaimedUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** The behaviour of upstreams for one request. */
export interface Script {
  /** Failures of the first attempts before their first byte; the next one answers. */
  readonly failures: readonly Exclude<AttemptOutcome, "ok" | "cut" | "cancelled">[];
  /** Words of the answer; a word is a token. */
  readonly words: number;
  /** Text of the answer instead, in one piece. */
  readonly says?: string | undefined;
  /** Reported usage; absent if none is reported. */
  readonly usage?: ClaimedUsage | undefined;
  /** True when usage comes with the first event of a stream instead of the last. */
  readonly usageFirst: boolean;
  /** Output tokens of an impossible report, which must have no effect. @default {none is sent} */
  readonly falseUsage?: number | undefined;
  /** Number of events after which a stream is cut. @default {not cut} */
  readonly cutAfter?: number | undefined;
}

/** One call at an upstream, with what the gateway has received of it. */
export interface Attempt {
  readonly request: number;
  /** Part of the request that it is for. */
  readonly part: string;
  /** Catalog id of its model. */
  readonly model: string;
  /** Number of tokens in its prompt. */
  readonly promptTokens: number;
  /** The same as checkpoints count it: they look at more than words. */
  readonly promptTokensAtLeast: number;
  /** Id of its hold; absent for parts that run at once. */
  readonly holdId: string | undefined;
  readonly script: Script;
  readonly drains: boolean;
  /** Failure before its first byte; absent if it answers. */
  readonly failure?: Script["failures"][number] | undefined;
  /** True when its text is longer than what is held for it: the gateway ends and counts it. */
  readonly passesLimit: boolean;
  words: number;
  usage: ClaimedUsage | undefined;
  /** True when everything was sent, or the script cut the connection. */
  ended: boolean;
  /** True when it has sent its end marker. */
  finished: boolean;
  /** True when the gateway has cancelled it. */
  cancelled: boolean;
  /** True when it has ended, in whatever way. */
  over: boolean;
  /** Time of its end, in simulated milliseconds. */
  overMs?: number;
  /** Words that had arrived when its caller disconnected: nothing later can have been delivered. */
  wordsWhenLeft?: number;
}

/** An action that waits for the simulation. */
export interface Waiting {
  readonly what: string;
  go(): void;
}

/** The part of the simulation that scripted upstreams use. */
export interface UpstreamStage {
  nowMs(): number;
  /** Called when a call arrives. */
  begin(call: UpstreamCall, drains: boolean): Attempt;
  wait(waiting: Waiting): void;
  forget(waiting: Waiting): void;
}

/** Returns the upstream for a configuration. */
export function scriptedUpstream(config: UpstreamConfig, stage: UpstreamStage): Upstream {
  return {
    id: config.id,
    call: async (call) => {
      const attempt = stage.begin(call, config.onDisconnect === "drain");
      const reply = await answer(stage, call, attempt);
      if (reply.kind !== "stream") end(stage, attempt);
      return reply;
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

/** Waits until the simulation continues it; returns false if the gateway cancels it first. */
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
  /** Number of answer tokens in it. @default {0} */
  readonly words?: number;
  readonly isUsage?: boolean;
  readonly isFinish?: boolean;
}

/** Returns the words of an answer within its limit: the gateway ends and counts a longer one. */
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

/** Returns an impossible report. */
function lieOf({ falseUsage }: Script): unknown {
  return falseUsage === undefined ? undefined : usage(7, falseUsage);
}

/** Returns a text of this many tokens. */
export function wordsOf(count: number): string {
  return "w ".repeat(count);
}

/** Returns the tokens of a text: its words. */
export function tokensOf(text: string): number {
  return text.split("w ").length - 1;
}
