/**
 * An upstream that talks for long: the question says how many bytes an event has, and how many
 * megabytes there are of them. Any other question gets a short answer at once. A GET tells how many
 * bytes of long streams it has handed to its connections.
 *
 * @module
 */

import { untilStdinEnds } from "./until_stdin_ends.ts";

let sentBytes = 0;

/** The JSON that the last message or the input contains. */
export interface LongStream {
  readonly eventBytes: number;
  readonly megabytes: number;
  /** A model's pace. @default {as fast as it is read} */
  readonly eventsPerSecond?: number;
}

/** Bytes of one write. */
const WRITE_BYTES = 32 * 1024;
/** Events with less room than this carry one word. */
const LARGE_BYTES = 8 * 1024;
const encoder = new TextEncoder();

/** The stream of an endpoint: its beginning, an event with text, and its end. */
interface Stream {
  first(): string;
  /** `padding`: what fills a member that carries no text. */
  text(content: string, padding: string): string;
  last(): string;
}

function event(value: Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function chunk(fields: Readonly<Record<string, unknown>>): string {
  const head = { id: "chatcmpl-long", created: 1763686800, model: "bench-1" };
  return event({ object: "chat.completion.chunk", ...head, ...fields });
}

const CHAT: Stream = {
  first: () => {
    const delta = { role: "assistant", content: "" };
    return chunk({ choices: [{ index: 0, delta, finish_reason: null }] });
  },
  text: (content, system_fingerprint) =>
    chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }], system_fingerprint }),
  last: () => {
    const usage = { prompt_tokens: 20, completion_tokens: 200, total_tokens: 220 };
    const finish = chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    return `${finish}${chunk({ choices: [], usage })}data: [DONE]\n\n`;
  },
};

const RESPONSE = { id: "resp_long", object: "response", created_at: 1763686800, model: "bench-1" };

/** Its last event does not say the text again: that is another limit, of one event's length. */
const RESPONSES: Stream = {
  first: () => {
    const response = { ...RESPONSE, status: "in_progress", output: [] };
    return event({ type: "response.created", sequence_number: 0, response });
  },
  text: (delta, obfuscation) => {
    const place = { item_id: "msg_long", output_index: 0, content_index: 0 };
    const type = "response.output_text.delta";
    return event({ type, sequence_number: 1, ...place, delta, logprobs: [], obfuscation });
  },
  last: () => {
    const usage = { input_tokens: 20, output_tokens: 200, total_tokens: 220 };
    const response = { ...RESPONSE, status: "completed", output: [], usage };
    return event({ type: "response.completed", sequence_number: 2, response });
  },
};

function long(request: LongStream, stream: Stream): ReadableStream<Uint8Array> {
  const { eventBytes, megabytes, eventsPerSecond } = request;
  // Small events are a word each, and mostly what stands around it.
  const bare = eventBytes - stream.text("", "").length;
  const content = " word".repeat(Math.max(1, bare < LARGE_BYTES ? 1 : bare / 5));
  const written = stream.text(content, "f".repeat(Math.max(0, bare - content.length)));
  const events = eventsPerSecond === undefined ? Math.ceil(WRITE_BYTES / written.length) : 1;
  const piece = encoder.encode(written.repeat(events));
  let remaining = Math.ceil(megabytes * 1e6 / piece.length);
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(stream.first())),
    async pull(controller) {
      if (eventsPerSecond !== undefined) {
        await new Promise((resolve) => setTimeout(resolve, 1_000 / eventsPerSecond));
      }
      if (remaining-- > 0) {
        sentBytes += piece.length;
        return controller.enqueue(piece);
      }
      controller.enqueue(encoder.encode(stream.last()));
      controller.close();
    },
  });
}

const SHORT = {
  id: "chatcmpl-short",
  object: "chat.completion",
  created: 1763686800,
  model: "bench-1",
  choices: [{ index: 0, message: { role: "assistant", content: "Yes" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 20, completion_tokens: 1, total_tokens: 21 },
};

/** The last message, where it asks for a long stream. */
function longAsked(messages: readonly { content: unknown }[]): LongStream | undefined {
  const content = messages.at(-1)?.content;
  return typeof content === "string" && content.startsWith("{") ? JSON.parse(content) : undefined;
}

if (import.meta.main) {
  const onListen = ({ port }: Deno.NetAddr) => console.log(`http://127.0.0.1:${port}`);
  Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, async (request) => {
    if (request.method === "GET") return new Response(`${sentBytes}`);
    const { messages, input } = await request.json();
    const headers = { "content-type": "text/event-stream" };
    if (input !== undefined) return new Response(long(JSON.parse(input), RESPONSES), { headers });
    const stream = longAsked(messages);
    return stream === undefined
      ? Response.json(SHORT)
      : new Response(long(stream, CHAT), { headers });
  });
  await untilStdinEnds();
}
