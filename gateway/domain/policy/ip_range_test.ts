import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { ipInRanges, parseIpRange, rangeWithin } from "./ip_range.ts";

const MATCHES: readonly (readonly [string, string, boolean])[] = [
  ["10.1.2.3", "10.0.0.0/8", true],
  ["11.0.0.0", "10.0.0.0/8", false],
  ["10.1.2.3", "10.9.9.9/8", true],
  ["10.1.2.3", "10.1.2.3", true],
  ["10.1.2.4", "10.1.2.3/32", false],
  ["1.2.3.4", "0.0.0.0/0", true],
  ["255.255.255.255", "255.255.255.254/31", true],
  ["2001:db8::1", "2001:db8::/32", true],
  ["2001:db9::1", "2001:db8::/32", false],
  ["2001:DB8:0:0:0:0:0:1", "2001:db8::1", true],
  ["::1", "::/0", true],
  ["::", "::1", false],
  ["fe80::1%eth0", "fe80::/10", true],
  ["::ffff:10.1.2.3", "10.0.0.0/8", true],
  ["::ffff:a01:203", "10.0.0.0/8", true],
  ["10.1.2.3", "::ffff:10.0.0.0/104", true],
  ["10.1.2.3", "::/0", false],
  ["::1", "0.0.0.0/0", false],
  ["10.0.0.0/8", "10.0.0.0/8", false],
  ["nonsense", "0.0.0.0/0", false],
  ["10.0.0.1", "nonsense", false],
];

for (const [address, range, expected] of MATCHES) {
  Deno.test(`ipInRanges() ${address} in ${range}`, () => {
    assertEquals(ipInRanges(address, ["192.0.2.0/24", range]), expected);
  });
}

Deno.test("parseIpRange() refuses a text that is not an address", () => {
  const wrong = [
    "",
    "/8",
    "1.2.3",
    "1.2.3.4.5",
    "01.2.3.4",
    "256.1.1.1",
    "1.2.3.4/33",
    "1.2.3.4/",
    "1.2.3.4/-1",
    "1.2.3.4/08",
    "::/129",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7:8::",
    "12345::",
    "g::",
    "1.2.3.4::",
    "::1.2.3.400",
    "0x7f.0.0.1",
    "localhost",
  ];
  for (const text of wrong) assertEquals(parseIpRange(text), undefined, text);
});

Deno.test("parseIpRange() round trips any address", () => {
  fc.assert(fc.property(fc.ipV4(), (text) => assert(ipInRanges(text, [text]))));
  fc.assert(fc.property(fc.ipV6(), (text) => assert(ipInRanges(text, [text]), text)));
});

Deno.test("rangeWithin() needs the whole range inside one other", () => {
  assert(rangeWithin("10.1.0.0/16", ["10.0.0.0/8"]));
  assert(!rangeWithin("10.0.0.0/8", ["10.0.0.0/9", "10.128.0.0/9"]));
  assert(!rangeWithin("nonsense", ["0.0.0.0/0"]));
});
