import { type Answer, requestIdOf } from "../answer.ts";
import { type ServiceAPIError, ServiceConnectionError } from "../errors.ts";
import type { ModelEvent, ModelPort, ModelRequest, TurnFinishReason } from "../loop/mod.ts";
import { ERROR_TABLE, type ResponseErrorEvent, type ResponseResource } from "../protocol/mod.ts";
import type { TurnOptions } from "../run/surface.ts";
import { isReply } from "../run/tasks.ts";
import { turnCall } from "../run/turn_call.ts";
import type { Transport } from "../transport.ts";
import { answerable, callsOf, isCall } from "./calls.ts";
import { EventDeltas, textOf } from "./event_deltas.ts";
import { EventMerger } from "./merge_events.ts";
import type { OutputText, ResponseEvent, ResponseShapes, ResponseTurn } from "./shapes.ts";
import { tokenUsage, usageOfBill } from "./usage.ts";

const PATH = "/responses";

/** Events that end a response; its stream may end right after them. */
const LAST: ReadonlySet<string> = new Set([
  ...["response.completed", "response.incomplete", "response.failed", "error"],
]);

type Events = AsyncGenerator<ModelEvent<ResponseShapes>, void, void>;

/** Turns of Responses from the service. */
export class ResponseTurns implements ModelPort<ResponseShapes> {
  readonly #transport: Transport;
  readonly #options: TurnOptions;

  /** Creates the port without calling the service. */
  constructor(transport: Transport, options: TurnOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  /** Runs one turn. */
  turn(request: ModelRequest<ResponseShapes>): Events {
    return this.#options.stream ? this.#streamed(request) : this.#whole(request);
  }

  async *#whole(request: ModelRequest<ResponseShapes>): Events {
    const { answer, value } = await this.#transport.json(turnCall(PATH, request, this.#options));
    yield* ending(turnOf(value as ResponseResource, answer), new EventDeltas());
  }

  async *#streamed(request: ModelRequest<ResponseShapes>): Events {
    const call = turnCall(PATH, request, this.#options);
    const events = await this.#transport.events({ ...call, isLast });
    const merger = new EventMerger();
    const deltas = new EventDeltas();
    for await (const value of events) {
      const event = value as ResponseEvent;
      yield { type: "chunk", chunk: event };
      if (!isReply(event)) continue;
      merger.add(event);
      yield* deltas.of(event);
      if (event.type === "error") {
        throw failureOf(event, { answer: events.answer, resource: merger.resource() });
      }
      // A failure is followed by an error event with the reason from the error table.
      if (isLast(event) && event.type !== "response.failed") break;
    }
    const resource = merger.resource();
    if (resource === undefined) {
      throw new ServiceConnectionError("The stream ended before the response was complete");
    }
    yield* ending(turnOf(resource, events.answer), deltas);
  }
}

function isLast(value: unknown): boolean {
  const event = value as ResponseEvent;
  return LAST.has(event.type) && isReply(event);
}

/**
 * Yields the events of a complete turn: the rest that no event has carried, its calls, its usage
 * and its end.
 */
function* ending(turn: ResponseTurn, deltas: EventDeltas): Iterable<ModelEvent<ResponseShapes>> {
  yield* deltas.rest(turn);
  for (const call of callsOf(turn)) yield { type: "tool_call", call };
  if (turn.usage !== null) yield { type: "usage", usage: tokenUsage(turn.usage) };
  yield { type: "finish", finishReason: finishReasonOf(turn), turn };
}

/**
 * Returns the resource with its text, its usage (from the bill when it has none), and its request's
 * id.
 */
function turnOf(resource: ResponseResource, answer: Answer): ResponseTurn {
  if (resource.status === "failed") throw failureOf(resource.error, { answer, resource });
  const items: unknown = resource.output;
  if (!Array.isArray(items) || items.some((item) => typeof item?.type !== "string")) {
    throw answer.error(resource, "The service answered with an output that is no list of items");
  }
  const bill = resource.metadata?.billing;
  const output = answerable(items);
  return {
    ...resource,
    output,
    usage: resource.usage ?? (bill === undefined ? null : usageOfBill(bill)),
    ...outputText(textOf(output)),
    requestId: requestIdOf(resource, answer.response),
  };
}

/** Returns a text in the form of a response. */
export function outputText(text: string): OutputText {
  return { output_text: text, outputText: text };
}

/** The description of a failure in an event or in the resource. */
type Failure = Pick<ResponseErrorEvent, "code" | "message"> & { readonly param?: string | null };

/**
 * Returns the error of a failed response; its body is the gateway's error object as far as known.
 */
function failureOf(
  failure: Failure | null,
  { answer, resource }: {
    readonly answer: Answer;
    readonly resource?: ResponseResource | undefined;
  },
): ServiceAPIError {
  const { code = null, message = "The response failed", param = null } = failure ?? {};
  const type = Object.entries(ERROR_TABLE).find(([known]) => known === code)?.[1].type;
  const request_id = requestIdOf(resource, answer.response);
  return answer.error({
    error: { message, type: type ?? "api_error", code, param, request_id },
  });
}

function finishReasonOf({ status, incomplete_details, output }: ResponseTurn): TurnFinishReason {
  if (status === "completed") return output.some(isCall) ? "tool_calls" : "stop";
  if (status !== "incomplete") return "other";
  switch (incomplete_details?.reason) {
    case "max_output_tokens":
      return "length";
    case "content_filter":
      return "content_filter";
    default:
      return "other";
  }
}
