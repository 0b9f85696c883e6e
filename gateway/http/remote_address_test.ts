import { assertEquals } from "@std/assert";
import { remoteAddress } from "./remote_address.ts";

function forwarded(value?: string): Headers {
  return new Headers(value === undefined ? {} : { "x-forwarded-for": value });
}

Deno.test("the peer's address counts unless the peer is a trusted proxy", () => {
  assertEquals(remoteAddress("1.2.3.4", forwarded("9.9.9.9"), []), "1.2.3.4");
  assertEquals(remoteAddress("1.2.3.4", forwarded("9.9.9.9"), ["10.0.0.0/8"]), "1.2.3.4");
  assertEquals(remoteAddress("10.0.0.1", forwarded(), ["10.0.0.0/8"]), "10.0.0.1");
});

Deno.test("behind trusted proxies the last untrusted address counts: those before it can be claimed", () => {
  const trusted = ["10.0.0.0/8"];
  assertEquals(
    remoteAddress("10.0.0.1", forwarded("6.6.6.6, 9.9.9.9, 10.0.0.2"), trusted),
    "9.9.9.9",
  );
  assertEquals(remoteAddress("10.0.0.1", forwarded("10.0.0.2"), trusted), "10.0.0.1");
  assertEquals(remoteAddress("10.0.0.1", forwarded(" , 9.9.9.9"), trusted), "9.9.9.9");
});
