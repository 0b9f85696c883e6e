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

Deno.test("a port that a proxy adds is not part of the address", () => {
  const at = (claimed: string) => remoteAddress("10.0.0.1", forwarded(claimed), ["10.0.0.0/8"]);
  assertEquals(at("9.9.9.9:4711"), "9.9.9.9");
  assertEquals(at("[2001:db8::1]:4711"), "2001:db8::1");
  assertEquals(at("[2001:db8::1]"), "2001:db8::1");
  assertEquals(at("9.9.9.9:1, 10.0.0.2:2"), "9.9.9.9", "a trusted one is known with its port, too");
  assertEquals(at("2001:db8::1"), "2001:db8::1");
  assertEquals(at("2001:db8::1:4711"), "2001:db8::1:4711", "it is an address as it stands");
});
