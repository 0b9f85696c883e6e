import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { PRIVATE_ADDRESSES, PRIVATE_URLS } from "./private_addresses_fixture.ts";
import { isPublicAddress } from "./public_address.ts";
import { MAX_URL_CHARS, readPublicUrl } from "./public_url.ts";

Deno.test("Public addresses are public, and the edges of special ranges are where they are", () => {
  const rows: [string, boolean][] = [
    ["1.1.1.1", true],
    ["8.8.8.8", true],
    ["9.255.255.255", true],
    ["11.0.0.0", true],
    ["100.63.255.255", true],
    ["100.128.0.0", true],
    ["126.255.255.255", true],
    ["128.0.0.0", true],
    ["169.253.255.255", true],
    ["169.255.0.0", true],
    ["172.15.255.255", true],
    ["172.32.0.0", true],
    ["192.167.255.255", true],
    ["192.169.0.0", true],
    ["223.255.255.255", true],
    ["224.0.0.0", false],
    ["2606:4700:4700::1111", true],
    ["2001:4860:4860::8888", true],
    ["::ffff:8.8.8.8", true],
    ["::ffff:10.0.0.1", false],
    ["1fff:ffff::1", false],
    ["4000::1", false],
    ["2001:1ff:ffff::1", false],
    ["2001:200::1", true],
    ["8.8.8.8/32", false],
    ["8.8.8", false],
    ["08.8.8.8", false],
    ["2606:4700::1%eth0", false],
  ];
  for (const [address, isPublic] of rows) assertEquals(isPublicAddress(address), isPublic, address);
  for (const address of PRIVATE_ADDRESSES) assertEquals(isPublicAddress(address), false, address);
});

Deno.test("Every form of a private address is refused from the text alone", () => {
  assert(PRIVATE_URLS.length >= 60);
  for (const text of PRIVATE_URLS) {
    const url = readPublicUrl(text.replace("PORT", "8080"), { ports: [80, 443, 8080] });
    assert(!(url instanceof URL), text);
  }
});

Deno.test("An IPv4 address is judged alike in every notation", () => {
  const octet = fc.nat(255);
  fc.assert(fc.property(fc.tuple(octet, octet, octet, octet), ([a, b, c, d]) => {
    const value = ((a * 256 + b) * 256 + c) * 256 + d;
    const isPublic = isPublicAddress(`${a}.${b}.${c}.${d}`);
    const hosts = [
      `${a}.${b}.${c}.${d}`,
      `${a}.${b}.${c * 256 + d}`,
      `${a}.${value % 2 ** 24}`,
      `${value}`,
      `0x${value.toString(16)}`,
      `0${value.toString(8)}`,
      `0x${a.toString(16)}.0${b.toString(8)}.${c}.${d}`,
      `[::ffff:${a}.${b}.${c}.${d}]`,
    ];
    for (const host of hosts) {
      assertEquals(readPublicUrl(`http://${host}/`) instanceof URL, isPublic, host);
    }
  }));
});

Deno.test("Addresses of the web are taken", () => {
  const texts = [
    "https://images.example/a.png",
    "HTTPS://Images.Example/a.png?b=c#d",
    "http://images.example:80/",
    "https://images.example.:443/",
    "https://bücher.example/ä.png",
    "https://a-b.c_d.example.co/",
    "https://8.8.8.8/",
    "https://[2606:4700:4700::1111]/",
  ];
  for (const text of texts) assert(readPublicUrl(text) instanceof URL, text);
});

Deno.test("A refusal says what is wrong", () => {
  const rows = [
    ["ftp://images.example/", "http(s)"],
    ["http://a:b@images.example/", "password"],
    ["http://images.example:22/", "port 22"],
    ["http://10.0.0.1/", "public"],
    [`https://images.example/${"a".repeat(MAX_URL_CHARS)}`, "longer"],
  ] as const;
  for (const [text, part] of rows) {
    const refused = readPublicUrl(text);
    assert("problem" in refused && refused.problem.includes(part), text.slice(0, 40));
  }
});
