import { assertEquals } from "@std/assert";
import { systemClock } from "../system/clock.ts";
import { AnswerStream } from "./answer_stream.ts";
import type { GatewayContext } from "./context.ts";
import { InFlight } from "./in_flight.ts";
import type { RequestTrace } from "./request_trace.ts";

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
    trace: {} as unknown as RequestTrace,
    onEnd: () => void said.push("ended"),
  });
  assertEquals(await new Response(new ReadableStream(stream)).text(), "last words");
  assertEquals(said, ["UpstreamCut: the service is shutting down", "ended"]);
});
