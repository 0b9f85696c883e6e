import { assertEquals } from "@std/assert";
import { CountingProxy } from "./counting_proxy.ts";
import { timesOf } from "./database_load.ts";
import { figures, type Side } from "./table.ts";

Deno.test("the processor time of a process is read past brackets in its name", () => {
  const line = "17 (postgres: (a) b) S 5 17 17 0 -1 4194560 1 2 3 4 150 50 30 70 20 0 1 0 9 9";
  assertEquals(timesOf(line), [17, 5, 2, 1]);
});

Deno.test("a round trip is whatever is sent before the next answer", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  using proxy = new CountingProxy(listener.addr.port);
  using client = await Deno.connect({ hostname: "127.0.0.1", port: proxy.port });
  using server = await listener.accept();
  const buffer = new Uint8Array(8);
  for (let trip = 1; trip <= 3; trip++) {
    for (let statement = 0; statement < 2; statement++) {
      await client.write(Uint8Array.of(statement));
      assertEquals(await server.read(buffer), 1);
    }
    await server.write(Uint8Array.of(9));
    assertEquals(await client.read(buffer), 1);
    assertEquals(proxy.roundTrips, trip);
  }
  listener.close();
});

Deno.test("the figures are a table with a column for each side", () => {
  const medians = { rate: 900, p50Ms: 1, p99Ms: 2, gatewayMicros: 500, serverMicros: NaN };
  const sides: Side[] = [
    { name: "a file", loaded: medians, alone: medians },
    { name: "1 instance", loaded: { ...medians, serverMicros: 300 }, alone: undefined },
  ];
  const lines = figures(sides, [{ callers: 1, statements: 18.4, roundTrips: 12.5 }]).split("\n");
  assertEquals(lines[0], "|  | a file | 1 instance |");
  assertEquals(lines[2], "| requests a second | 900 | 900 |");
  assertEquals(lines[6], "| CPU a request, PostgreSQL, us |  | 300 |");
  assertEquals(lines.at(-1), "| one caller: round trips a request |  | 12.5 |");
});
