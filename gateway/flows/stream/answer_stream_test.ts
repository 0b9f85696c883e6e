import { assertEquals } from "@std/assert";
import { systemClock } from "../../system/clock.ts";
import { AnswerStream } from "./answer_stream.ts";
import type { GatewayContext } from "../context.ts";
import { InFlight } from "../admit/in_flight.ts";
import type { RequestTrace } from "../request_trace.ts";

/** Of a caller who has not left. */
const STAYING = {
  caller: { signal: new AbortController().signal },
} as unknown as RequestTrace;

Deno.test("an answer that begins when the service has broken all off ends with the last words", async () => {
  const inFlight = new InFlight();
  inFlight.abortAll();
  const said: string[] = [];
  const answer = {
    abort: new AbortController(),
    next: () => Promise.withResolvers<never>().promise,
    leave: () => Promise.resolve(said.push("left")).then(() => {}),
    fail: (cause: unknown) => {
      said.push(String(cause));
      return Promise.resolve("last words");
    },
  };
  const stream = new AnswerStream({ clock: systemClock, inFlight } as unknown as GatewayContext, {
    answer,
    trace: STAYING,
    onEnd: () => void said.push("ended"),
  });
  assertEquals(await new Response(new ReadableStream(stream)).text(), "last words");
  assertEquals(said, ["UpstreamCut: the service is shutting down", "ended"]);
});

Deno.test("an answer that is being ended is asked for nothing more: its end is said once", async () => {
  const inFlight = new InFlight();
  const upcoming = Promise.withResolvers<{ text: string; last: boolean }>();
  const lastWords = Promise.withResolvers<string>();
  let asked = 0;
  const answer = {
    abort: new AbortController(),
    next: () => (asked++, upcoming.promise),
    leave: () => Promise.resolve(),
    fail: () => lastWords.promise,
  };
  const stream = new AnswerStream({ clock: systemClock, inFlight } as unknown as GatewayContext, {
    answer,
    trace: STAYING,
    onEnd: () => {},
  });
  const text = new Response(new ReadableStream(stream)).text();
  await Promise.resolve();
  inFlight.abortAll();
  upcoming.resolve({ text: "", last: false });
  await upcoming.promise;
  await new Promise((resolve) => setTimeout(resolve));
  lastWords.resolve("last words");
  assertEquals([await text, asked], ["last words", 1]);
});

Deno.test("an answer that begins when its caller has left is left, and not asked for anything", async () => {
  const said: string[] = [];
  const answer = {
    abort: new AbortController(),
    next: () => (said.push("asked"), Promise.resolve({ text: "word", last: false })),
    leave: () => Promise.resolve(void said.push("left")),
    fail: () => Promise.resolve("last words"),
  };
  const inFlight = new InFlight();
  const stream = new AnswerStream({ clock: systemClock, inFlight } as unknown as GatewayContext, {
    answer,
    trace: { caller: { signal: AbortSignal.abort() } } as unknown as RequestTrace,
    onEnd: () => void said.push("ended"),
  });
  assertEquals(await new Response(new ReadableStream(stream)).text(), "");
  assertEquals(said, ["left", "ended"]);
});
