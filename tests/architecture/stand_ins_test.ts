import { assertEquals } from "@std/assert";
import { accepts, acceptsLanguages } from "@std/http/negotiation";
import { TextLineStream } from "@std/streams";
import { spy, stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";

// The behaviour of JSR packages that the project relies on. These tests run against the stand-ins
// here and, by `deno task jsr:check`, against the real packages.

/** Lines of a text that arrives in the given pieces. */
function lines(...pieces: string[]): Promise<string[]> {
  return Array.fromAsync(ReadableStream.from(pieces).pipeThrough(new TextLineStream()));
}

Deno.test("a line stream splits at line feeds, for any pieces", async () => {
  assertEquals(await lines("a\nb", "c\r", "\nd"), ["a", "bc", "d"]);
  assertEquals(await lines("a\n\n", "b\n"), ["a", "", "b"]);
  assertEquals(await lines(), []);
});

Deno.test("languages come by their weight, then in the order of the header", () => {
  const asking = (header?: string) => ({
    headers: new Headers(header === undefined ? {} : { "accept-language": header }),
  });
  assertEquals(acceptsLanguages(asking("de;q=0.2, fr;q=0, zh-CN;q=0.9, en")), [
    ...["en", "zh-CN", "de"],
  ]);
  assertEquals(acceptsLanguages(asking("zh, en")), ["zh", "en"]);
  assertEquals(acceptsLanguages(asking()), ["*"]);
});

Deno.test("the first media type is chosen unless another is wanted more", () => {
  const choose = (accept?: string) =>
    accepts({ headers: new Headers(accept === undefined ? {} : { accept }) }, "a/json", "a/lines");
  assertEquals([choose(), choose("*/*"), choose("a/*")], ["a/json", "a/json", "a/json"]);
  assertEquals([choose("a/lines"), choose("a/json;q=0.5, a/lines")], ["a/lines", "a/lines"]);
  assertEquals([choose("a/lines;q=0, a/json"), choose("text/html")], ["a/json", undefined]);
});

Deno.test("a stub replaces a method and a spy records it, until they are disposed of", () => {
  const counter = { at: 1, next: (step: number) => counter.at += step };
  {
    using stubbed = stub(counter, "next", (step) => -step);
    assertEquals([counter.next(5), counter.at], [-5, 1]);
    assertEquals(stubbed.calls.map(({ args, returned }) => [args, returned]), [[[5], -5]]);
  }
  {
    using spied = spy(counter, "next");
    assertEquals(counter.next(2), 3);
    assertEquals(spied.calls.length, 1);
  }
  assertEquals(counter.next(1), 4);
});

Deno.test("a fake time runs timers in the order they are due", () => {
  const startMs = Date.UTC(2026, 0, 15);
  const due: number[] = [];
  const platform = globalThis.setTimeout;
  {
    using time = new FakeTime(startMs);
    setTimeout(() => due.push(20), 20);
    setTimeout(() => due.push(10), 10);
    clearTimeout(setTimeout(() => due.push(15), 15));
    time.tick(10);
    assertEquals([due, Date.now() - startMs], [[10], 10]);
    assertEquals([time.next(), time.now - startMs, time.next()], [true, 20, false]);
  }
  assertEquals([due, globalThis.setTimeout === platform], [[10, 20], true]);
});
