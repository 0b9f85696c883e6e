import { assertEquals } from "@std/assert";
import { systemClock } from "../../system/clock.ts";
import { AnswerStream, type AnswerStreamDeps } from "./answer_stream.ts";
import { InFlight } from "../admit/in_flight.ts";
import type { ActiveRequest } from "../request/active_request.ts";

/** A request whose caller is connected. */
const CONNECTED = {
  signal: new AbortController().signal,
} as unknown as ActiveRequest;

Deno.test("an answer that begins during a shutdown ends with its final events", async () => {
  const inFlight = new InFlight();
  inFlight.abortAll();
  const events: string[] = [];
  const answer = {
    abort: new AbortController(),
    next: () => Promise.withResolvers<never>().promise,
    leave: () => Promise.resolve(events.push("left")).then(() => {}),
    fail: (cause: unknown) => {
      events.push(String(cause));
      return Promise.resolve("final events");
    },
  };
  const stream = new AnswerStream({ clock: systemClock, inFlight } as unknown as AnswerStreamDeps, {
    answer,
    active: CONNECTED,
    onEnd: () => void events.push("ended"),
  });
  assertEquals(await new Response(new ReadableStream(stream)).text(), "final events");
  assertEquals(events, ["UpstreamCut: the service has ended it", "ended"]);
});

Deno.test("an answer that is being ended is read no further: its end is sent once", async () => {
  const inFlight = new InFlight();
  const upcoming = Promise.withResolvers<{ text: string; last: boolean }>();
  const lastEvent = Promise.withResolvers<string>();
  let reads = 0;
  const answer = {
    abort: new AbortController(),
    next: () => (reads++, upcoming.promise),
    leave: () => Promise.resolve(),
    fail: () => lastEvent.promise,
  };
  const stream = new AnswerStream({ clock: systemClock, inFlight } as unknown as AnswerStreamDeps, {
    answer,
    active: CONNECTED,
    onEnd: () => {},
  });
  const text = new Response(new ReadableStream(stream)).text();
  await Promise.resolve();
  inFlight.abortAll();
  upcoming.resolve({ text: "", last: false });
  await upcoming.promise;
  await new Promise((resolve) => setTimeout(resolve));
  lastEvent.resolve("final events");
  assertEquals([await text, reads], ["final events", 1]);
});

Deno.test("an answer that begins after its caller disconnected is left and not read", async () => {
  const events: string[] = [];
  const answer = {
    abort: new AbortController(),
    next: () => (events.push("read"), Promise.resolve({ text: "word", last: false })),
    leave: () => Promise.resolve(void events.push("left")),
    fail: () => Promise.resolve("final events"),
  };
  const inFlight = new InFlight();
  const stream = new AnswerStream({ clock: systemClock, inFlight } as unknown as AnswerStreamDeps, {
    answer,
    active: { signal: AbortSignal.abort() } as unknown as ActiveRequest,
    onEnd: () => void events.push("ended"),
  });
  assertEquals(await new Response(new ReadableStream(stream)).text(), "");
  assertEquals(events, ["left", "ended"]);
});
