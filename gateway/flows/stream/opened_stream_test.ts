import { assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { UpstreamCut, type UpstreamStream } from "../../ports/upstream.ts";
import { ChatRelay } from "../../wire/chat/relay.ts";
import { openStream } from "./opened_stream.ts";

const HEAD = '{"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}]}';

/** A stream whose only read brings these events. */
function streamOf(...texts: string[]): UpstreamStream {
  return {
    kind: "stream",
    events: (async function* () {
      yield await Promise.resolve(texts);
    })(),
  };
}

for (const broken of ['{"half":', "[7]", '{"error":{"message":"no"}}']) {
  Deno.test(`events are passed on before ${broken} in the same read`, async () => {
    const opened = await openStream(streamOf(HEAD, broken), new ChatRelay("m"));
    assertEquals(opened.first.includes('"Hi"'), true);
    assertInstanceOf(opened.broken?.cause, UpstreamCut);
    await opened.events.return?.();
  });

  Deno.test(`a stream that begins with ${broken} does not begin`, async () => {
    await assertRejects(() => openStream(streamOf(broken, HEAD), new ChatRelay("m")), UpstreamCut);
  });
}
