import type { ModelEvent } from "../loop/mod.ts";
import type { ResponseOutputItem, ResponseReasoningItem } from "../protocol/mod.ts";
import { argumentsText } from "../run/call_parts.ts";
import { isCall } from "./calls.ts";
import type { ResponseEvent, ResponseShapes, ResponseTurn } from "./shapes.ts";

type Deltas = Iterable<ModelEvent<ResponseShapes>>;

/** Converts the events of one response to the loop's events. */
export class EventDeltas {
  #text = "";
  #reasoning = "";
  /** Positions of the calls in the output. */
  readonly #calls: { readonly id?: string; readonly place?: number }[] = [];

  /** Yields the loop's events of an event of the reply. */
  *of(event: ResponseEvent): Deltas {
    switch (event.type) {
      case "response.output_text.delta":
        yield* this.#textDelta(event.delta);
        break;
      case "response.reasoning_text.delta":
      case "response.reasoning_summary_text.delta":
        yield* this.#reasoningDelta(event.delta);
        break;
      case "response.output_item.added": {
        const { item, output_index: place } = event;
        if (!isCall(item)) break;
        const index = this.#calls.push({ id: item.id, place }) - 1;
        const { call_id: id, name } = item;
        // A custom tool's call has none: its text is no JSON before it is complete.
        yield {
          type: "tool_call_delta",
          index,
          id,
          name,
          arguments: argumentsText(item.arguments),
        };
        break;
      }
      case "response.function_call_arguments.delta": {
        const index = this.#indexOf({ id: event.item_id, place: event.output_index });
        yield { type: "tool_call_delta", index, arguments: argumentsText(event.delta) };
      }
    }
  }

  /**
   * Yields the part of the whole response that no event has carried: all of it for an answer in one
   * piece.
   */
  *rest(turn: ResponseTurn): Deltas {
    yield* this.#reasoningDelta(untold(this.#reasoning, reasoningOf(turn.output)));
    yield* this.#textDelta(untold(this.#text, turn.outputText));
  }

  *#textDelta(delta: unknown): Deltas {
    const text = textIn(delta);
    if (text === "") return;
    this.#text += text;
    yield { type: "text_delta", text };
  }

  *#reasoningDelta(delta: unknown): Deltas {
    const text = textIn(delta);
    if (text === "") return;
    this.#reasoning += text;
    yield { type: "reasoning_delta", text };
  }

  /** Returns the index of the call with that position or id, else of the last one. */
  #indexOf({ id, place }: { readonly id?: string; readonly place?: number }): number {
    const isNamed = (name: unknown, other: unknown) => name !== undefined && name === other;
    const at = this.#calls.findIndex((call) => isNamed(call.place, place));
    if (at >= 0) return at;
    const named = this.#calls.findIndex((call) => isNamed(call.id, id));
    return named >= 0 ? named : Math.max(0, this.#calls.length - 1);
  }
}

/** Returns the text of an output's messages, joined. */
export function textOf(output: readonly ResponseOutputItem[]): string {
  return output.flatMap((item) => item.type === "message" ? item.content ?? [] : [])
    .map((part) => part?.type === "output_text" ? textIn(part.text) : "")
    .join("");
}

function reasoningOf(output: readonly ResponseOutputItem[]): string {
  return output.flatMap((item) => item.type === "reasoning" ? thoughts(item) : []).join("");
}

/** Returns the reasoning: upstreams send a summary or the content, and may omit the other. */
function thoughts({ summary, content }: Partial<ResponseReasoningItem>): string[] {
  return [summary, content].flat().map((part) => textIn(part?.text));
}

/** Returns a text unchanged, and none for any other value: upstreams vary. */
function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function untold(sent: string, whole: string): string {
  return whole.startsWith(sent) ? whole.slice(sent.length) : "";
}
