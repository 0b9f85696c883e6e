/**
 * An upstream that answers at once, as OpenAI's API would: JSON with usage, or a stream of chunks. A
 * streamed request with `chunk_every_ms` gets chunks at that pace instead, each with its time, until
 * the caller leaves.
 *
 * @module
 */

import { untilStdinEnds } from "./until_stdin_ends.ts";

/** Chunks of text in a streamed answer. */
const STREAM_CHUNKS = 50;
const HEAD = {
  id: "chatcmpl-BqXkR2vYw7LmN4pT8sJdH6fZ1cVgA",
  created: 1763686800,
  model: "bench-1",
};
const USAGE = {
  prompt_tokens: 24,
  completion_tokens: 50,
  total_tokens: 74,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
};
const TEXT = "A gateway stands between applications and models: it picks one, pays for it and " +
  "answers for both sides.";

const encoder = new TextEncoder();

const JSON_ANSWER = JSON.stringify({
  ...HEAD,
  object: "chat.completion",
  choices: [{
    index: 0,
    message: { role: "assistant", content: TEXT, refusal: null, annotations: [] },
    logprobs: null,
    finish_reason: "stop",
  }],
  usage: USAGE,
  service_tier: "default",
  system_fingerprint: "fp_b1e9c4d2a7",
});

function chunk(fields: Readonly<Record<string, unknown>>): Uint8Array {
  const object = "chat.completion.chunk";
  return encoder.encode(`data: ${JSON.stringify({ ...HEAD, object, ...fields })}\n\n`);
}

function choice(delta: Readonly<Record<string, unknown>>, finish_reason: string | null = null) {
  return { choices: [{ index: 0, delta, logprobs: null, finish_reason }] };
}

function chunks(withUsage: boolean): Uint8Array[] {
  const usage = withUsage ? { usage: null } : {};
  return [
    chunk({ ...choice({ role: "assistant", content: "" }), ...usage }),
    ...Array.from(
      { length: STREAM_CHUNKS - 2 },
      (_, at) => chunk({ ...choice({ content: ` word${at}` }), ...usage }),
    ),
    chunk({ ...choice({}, "stop"), ...usage }),
    ...(withUsage ? [chunk({ choices: [], usage: USAGE })] : []),
    encoder.encode("data: [DONE]\n\n"),
  ];
}

const PLAIN = chunks(false);
const WITH_USAGE = chunks(true);

function stream(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      const piece = pieces[at++];
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
}

/** Text of each chunk: the Unix time of its writing in milliseconds. */
function paced(everyMs: number): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setInterval> | undefined;
  return new ReadableStream({
    start(controller) {
      controller.enqueue(chunk(choice({ role: "assistant", content: "" })));
      timer = setInterval(() => {
        const atMs = performance.timeOrigin + performance.now();
        controller.enqueue(chunk(choice({ content: `at ${atMs.toFixed(3)}` })));
      }, everyMs);
    },
    cancel: () => clearInterval(timer),
  });
}

if (import.meta.main) {
  const onListen = ({ port }: Deno.NetAddr) => console.log(`http://127.0.0.1:${port}`);
  Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, async (request) => {
    const body = await request.json();
    const { stream: streamed, stream_options: options, chunk_every_ms: everyMs } = body;
    if (streamed !== true) {
      return new Response(JSON_ANSWER, { headers: { "content-type": "application/json" } });
    }
    const headers = { "content-type": "text/event-stream" };
    if (everyMs !== undefined) return new Response(paced(everyMs), { headers });
    const pieces = options?.include_usage === true ? WITH_USAGE : PLAIN;
    return new Response(stream(pieces), { headers });
  });
  await untilStdinEnds();
}
