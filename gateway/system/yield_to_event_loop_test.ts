import { assertEquals } from "@std/assert";
import { YieldQueue } from "./yield_to_event_loop.ts";

Deno.test("the waiting tasks get their turns in order", async () => {
  const line = new YieldQueue();
  const events: string[] = [];
  const stand = async (name: string) => {
    for (let time = 1; time <= 2; time++) {
      await line.next();
      events.push(`${name}${time}`);
    }
  };
  let turns = 0;
  const watch = setInterval(() => void events.push(`turn ${++turns}`));
  await Promise.all(["a", "b", "c"].map(stand));
  clearInterval(watch);
  assertEquals(events.filter((event) => !event.startsWith("turn")), [
    ...["a1", "b1", "c1"],
    ...["a2", "b2", "c2"],
  ]);
  // No two had the same turn.
  const between = events.join(" ").split(/ ?turn \d+ ?/).filter((text) => text !== "");
  assertEquals(between.filter((text) => text.includes(" ")), []);
});
