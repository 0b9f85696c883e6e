/** A surface of plain lines, models that follow a script, and a clock that stands still. */

import type { Tool } from "@svc/tools";
import type { LoopToolCall, ModelEvent } from "./model_events.ts";
import type { ClockPort, ConversationPort, ModelPort, ModelRequest } from "./ports.ts";

export interface Lines {
  conversation: readonly string[];
  turn: string;
  call: { readonly signature: string };
  chunk: number;
}

export const surface: ConversationPort<Lines> = {
  withAssistantTurn: (lines, turn) => [...lines, `assistant: ${turn}`],
  withToolResults: (lines, results) => [
    ...lines,
    ...results.map(({ call, text }) => `${call.raw.signature}: ${text}`),
  ],
  withAutoToolChoice: (lines) => lines.map((line) => line === "force" ? "auto" : line),
};

export type Event = ModelEvent<Lines>;

/** A call; its id and its signature are the same. */
export function call(id: string, name: string, input: unknown = {}): LoopToolCall<Lines> {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return { id, name, arguments: text, raw: { signature: id } };
}

/** A turn that calls tools. */
export function calling(...calls: LoopToolCall<Lines>[]): Event[] {
  return [
    ...calls.map((call): Event => ({ type: "tool_call", call })),
    { type: "finish", finishReason: "stop", turn: calls.map(({ id }) => id).join(" ") },
  ];
}

/** A turn that says something. */
export function saying(text: string): Event[] {
  return [
    { type: "text_delta", text },
    { type: "finish", finishReason: "stop", turn: text },
  ];
}

export interface ScriptedModel extends ModelPort<Lines> {
  readonly requests: ModelRequest<Lines>[];
  /** Turns that are being read. */
  open: number;
}

/** A model whose turn `n` is the script's; a function stands for what it does at that point. */
export function scripted(
  ...turns: (readonly (Event | ((request: ModelRequest<Lines>) => unknown))[])[]
): ScriptedModel {
  return {
    requests: [],
    open: 0,
    async *turn(request) {
      this.requests.push(request);
      this.open++;
      try {
        for (const event of turns[request.step] ?? saying("done")) {
          if (typeof event === "function") await event(request);
          else yield event;
        }
      } finally {
        this.open--;
      }
    },
  };
}

/** Waits until the signal is aborted, and fails with its reason. */
export function untilAborted({ signal }: { readonly signal: AbortSignal }): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

export function never(): Promise<never> {
  return new Promise(() => {});
}

export function toolNamed(name: string, execute?: Tool["execute"]): Tool {
  return { name, parameters: { type: "object" }, execute };
}

/** Timers that go off when told to. */
export class StillClock implements ClockPort {
  readonly timers = new Map<() => void, number>();

  startTimer(ms: number, callback: () => void): () => void {
    this.timers.set(callback, ms);
    return () => {
      this.timers.delete(callback);
    };
  }

  /** Lets all that wait at most so long go off. */
  pass(ms: number): void {
    for (const [callback, after] of [...this.timers]) {
      if (after > ms) continue;
      this.timers.delete(callback);
      callback();
    }
  }
}

/** Lets everything run that waits for nothing. */
export async function settled(): Promise<void> {
  for (let at = 0; at < 50; at++) await Promise.resolve();
}
