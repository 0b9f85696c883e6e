import type { ModelEvent } from "../loop/mod.ts";
import type { ResponseOutputItem, ResponseReasoningItem } from "../protocol/mod.ts";
import { argumentsText } from "../run/call_parts.ts";
import { isCall } from "./calls.ts";
import type { ResponseEvent, ResponseShapes, ResponseTurn } from "./shapes.ts";

type Deltas = Iterable<ModelEvent<ResponseShapes>>;

/** Tells the pieces of one response as the loop knows them. */
export class EventDeltas {
  #text = "";
  #reasoning = "";
  /** Where the calls stand in the output. */
  readonly #calls: { readonly id?: string; readonly place?: number }[] = [];

  /** What an event of the reply tells. */
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
        // A custom tool's call has none: its text is no JSON before it is whole.
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

  /** What no event has told of the whole response: all of it where it did not come in events. */
  *rest(turn: ResponseTurn): Deltas {
    yield* this.#reasoningDelta(untold(this.#reasoning, reasoningOf(turn.output)));
    yield* this.#textDelta(untold(this.#text, turn.outputText));
  }

  *#textDelta(text: string): Deltas {
    if (!text) return;
    this.#text += text;
    yield { type: "text_delta", text };
  }

  *#reasoningDelta(text: string): Deltas {
    if (!text) return;
    this.#reasoning += text;
    yield { type: "reasoning_delta", text };
  }

  /** The call at that place, of that id, or else the last one. */
  #indexOf({ id, place }: { readonly id?: string; readonly place?: number }): number {
    const isNamed = (name: unknown, other: unknown) => name !== undefined && name === other;
    const at = this.#calls.findIndex((call) => isNamed(call.place, place));
    if (at >= 0) return at;
    const named = this.#calls.findIndex((call) => isNamed(call.id, id));
    return named >= 0 ? named : Math.max(0, this.#calls.length - 1);
  }
}

/** All text of an output's messages, joined. */
export function textOf(output: readonly ResponseOutputItem[]): string {
  return output.flatMap((item) => item.type === "message" ? item.content ?? [] : [])
    .map((part) => part?.type === "output_text" ? part.text ?? "" : "")
    .join("");
}

function reasoningOf(output: readonly ResponseOutputItem[]): string {
  return output.flatMap((item) => item.type === "reasoning" ? thoughts(item) : []).join("");
}

/** Upstreams send the one or the other, and may leave out what they do not send. */
function thoughts({ summary, content }: Partial<ResponseReasoningItem>): string[] {
  return [summary, content].flat().map((part) => part?.text ?? "");
}

function untold(told: string, whole: string): string {
  return whole.startsWith(told) ? whole.slice(told.length) : "";
}
