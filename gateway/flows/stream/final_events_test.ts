import { assertEquals } from "@std/assert";
import { FinalEvents } from "./final_events.ts";

Deno.test("events come one at a time, and the last one after the answer was stored", async () => {
  const made: string[] = [];
  function* pieces() {
    for (const piece of ["a", "b", "c"]) {
      made.push(piece);
      yield piece;
    }
  }
  let kept = 0;
  const last = new FinalEvents(pieces(), (text) => Promise.resolve(`${text}, kept ${++kept}`));
  assertEquals(await last.next(), { text: "a", last: false });
  assertEquals([made.length, kept], [2, 0]);
  assertEquals(await last.drain(), "bc, kept 1");
  assertEquals(kept, 1);
  assertEquals(await last.next(), { text: "", last: true });
  assertEquals([await last.drain(), kept], ["", 1]);
});

Deno.test("the remaining events include the one that another reader awaited", async () => {
  const keeping = Promise.withResolvers<string>();
  const last = new FinalEvents(["only"], () => keeping.promise);
  const waiting = last.next();
  const rest = last.drain();
  keeping.resolve("only");
  assertEquals([await rest, (await waiting).text], ["only", "only"]);
  assertEquals(await last.drain(), "");
});
