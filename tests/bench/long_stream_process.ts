/**
 * An upstream that talks for long: the question says how many bytes an event has, and how many
 * megabytes there are of them.
 *
 * @module
 */

import { untilStdinEnds } from "./until_stdin_ends.ts";

/** What the last message says, as JSON. */
export interface LongStream {
  readonly eventBytes: number;
  readonly megabytes: number;
}

/** Bytes of one write. */
const WRITE_BYTES = 32 * 1024;
/** Events with less room than this carry one word. */
const LARGE_BYTES = 1024;
const encoder = new TextEncoder();

function event(fields: Readonly<Record<string, unknown>>): string {
  const head = { id: "chatcmpl-long", created: 1763686800, model: "bench-1" };
  return `data: ${JSON.stringify({ object: "chat.completion.chunk", ...head, ...fields })}\n\n`;
}

function textEvent(content: string, system_fingerprint: string): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }];
  return event({ choices, system_fingerprint });
}

function long({ eventBytes, megabytes }: LongStream): ReadableStream<Uint8Array> {
  // Small events are a word each, and mostly what stands around it.
  const bare = eventBytes - textEvent("", "").length;
  const content = " word".repeat(Math.max(1, bare < LARGE_BYTES ? 1 : bare / 5));
  const written = textEvent(content, "f".repeat(Math.max(0, bare - content.length)));
  const piece = encoder.encode(written.repeat(Math.ceil(WRITE_BYTES / written.length)));
  let left = Math.ceil(megabytes * 1e6 / piece.length);
  return new ReadableStream({
    start(controller) {
      const delta = { role: "assistant", content: "" };
      const choices = [{ index: 0, delta, finish_reason: null }];
      controller.enqueue(encoder.encode(event({ choices })));
    },
    pull(controller) {
      if (left-- > 0) return controller.enqueue(piece);
      const usage = { prompt_tokens: 20, completion_tokens: 200, total_tokens: 220 };
      const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
      controller.enqueue(
        encoder.encode(`${finish}${event({ choices: [], usage })}data: [DONE]\n\n`),
      );
      controller.close();
    },
  });
}

if (import.meta.main) {
  const onListen = ({ port }: Deno.NetAddr) => console.log(`http://127.0.0.1:${port}`);
  Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, async (request) => {
    const { messages } = await request.json();
    const headers = { "content-type": "text/event-stream" };
    return new Response(long(JSON.parse(messages.at(-1).content)), { headers });
  });
  await untilStdinEnds();
}
