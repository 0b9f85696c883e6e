/** Answers of a scripted service, as the vectors state them. */

import type { Fields } from "./vector_file_test.ts";

/** An answer as data: see the README beside the vectors. */
export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly events?: readonly unknown[];
  /** Data of the event that ends the stream; `null`: none. */
  readonly end?: string | null;
  /** The connection fails after the bytes of the body. */
  readonly breaks?: boolean;
  /** Nothing follows the bytes of the body; without a body there is no answer. */
  readonly hangs?: boolean;
  /** There is no answer: the service is not reached. */
  readonly unreachable?: boolean;
}

const encoder = new TextEncoder();

/** Returns the body of a stream of events. */
export function framed(events: readonly unknown[], end: string | null = "[DONE]"): string {
  const texts = events.map((event) => JSON.stringify(event));
  return [...texts, ...(end === null ? [] : [end])].map((text) => `data: ${text}\n\n`).join("");
}

/** The end of a body after its last piece: never, by a fault, or regular. */
type AfterAll = "hangs" | Error | undefined;

/** Returns a body that arrives in these pieces. */
export function inPieces(
  pieces: readonly Uint8Array[],
  after?: AfterAll,
): ReadableStream<Uint8Array> {
  const remaining = [...pieces];
  return new ReadableStream<Uint8Array>({
    pull(controller): void | Promise<void> {
      const piece = remaining.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (after === "hangs") return new Promise(() => {});
      else if (after !== undefined) controller.error(after);
      else controller.close();
    },
  }, { highWaterMark: 0 });
}

/** Returns the response to a request; rejects where the service is not reached. */
export async function responseTo(request: Fields, answer: ScriptedAnswer): Promise<Response> {
  if (answer.unreachable === true) throw new TypeError("connection refused");
  const { events, hangs, json, text: plain } = answer;
  const isSilent = events === undefined && json === undefined && plain === undefined;
  if (hangs === true && isSilent) await new Promise(() => {});
  const isStreamed = events !== undefined &&
    (json === undefined && plain === undefined || request["stream"] === true);
  const text = isStreamed
    ? framed(answer.events ?? [], answer.end)
    : answer.text ?? (answer.json === undefined ? "" : JSON.stringify(answer.json));
  const headers = new Headers(answer.headers);
  if (!headers.has("content-type")) {
    headers.set("content-type", isStreamed ? "text/event-stream" : "application/json");
  }
  const status = answer.status ?? 200;
  const after = answer.hangs === true
    ? "hangs"
    : answer.breaks === true
    ? new TypeError("connection reset")
    : undefined;
  const isEmpty = text === "" && after === undefined;
  const body = isEmpty ? null : inPieces([encoder.encode(text)], after);
  return new Response(body as BodyInit | null, { status, headers });
}
