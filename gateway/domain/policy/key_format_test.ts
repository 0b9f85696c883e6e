import { assert, assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { crc32 } from "node:zlib";
import { InvariantError } from "../invariant.ts";
import { BASE62, formatKey, hintOf, isKeyShaped, parseKey } from "./key_format.ts";

const digits = (length: number) =>
  fc.array(fc.constantFrom(...BASE62), { minLength: length, maxLength: length })
    .map((characters) => characters.join(""));
const parts = fc.record({ publicId: digits(12), secret: digits(32) });
const EXAMPLE = { publicId: "AbCdEfGhIjKl", secret: "0123456789abcdefghijABCDEFGHIJ01" };

Deno.test("formatKey() and parseKey() are inverse", () => {
  fc.assert(fc.property(parts, fc.constantFrom("service", "admin"), (chosen, keyClass) => {
    assertEquals(parseKey(formatKey(chosen, keyClass), keyClass), { ...chosen });
  }));
});

Deno.test("formatKey() writes prefix, public id, secret and the CRC-32 that zip uses", () => {
  const key = formatKey(EXAMPLE);
  assertEquals(key.length, 59);
  assertMatch(key, /^svc_live_[0-9A-Za-z]{50}$/);
  const value = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + BASE62.indexOf(digit), 0);
  assertEquals(value, crc32(key.slice(0, -6)));
});

Deno.test("parseKey() never confuses the classes of keys", () => {
  assertEquals(parseKey(formatKey(EXAMPLE, "admin"), "service"), undefined);
  assertEquals(parseKey(formatKey(EXAMPLE, "service"), "admin"), undefined);
  const body = formatKey(EXAMPLE, "service").slice("svc_live_".length);
  assertEquals(parseKey(`svc_admin_${body}`, "admin"), undefined);
});

Deno.test("parseKey() notices any one character changed", () => {
  fc.assert(fc.property(parts, fc.nat(58), fc.constantFrom(...BASE62), (chosen, at, digit) => {
    const key = formatKey(chosen);
    fc.pre(key[at] !== digit);
    assertEquals(parseKey(key.slice(0, at) + digit + key.slice(at + 1)), undefined);
  }));
});

Deno.test("parseKey() refuses malformed texts", () => {
  const key = formatKey(EXAMPLE);
  for (const text of ["", "svc_live_", key.slice(0, -1), key + "0", ` ${key}`, `${key}\n`]) {
    assertEquals(parseKey(text), undefined, JSON.stringify(text));
  }
});

Deno.test("formatKey() holds malformed parts to be a bug", () => {
  assertThrows(() => formatKey({ publicId: "short", secret: EXAMPLE.secret }), InvariantError);
});

Deno.test("isKeyShaped() knows texts that may be keys", () => {
  assert(isKeyShaped(formatKey(EXAMPLE)));
  assert(isKeyShaped("local_dev_key_01"));
  assert(isKeyShaped("f47ac10b-58cc-4372-a567-0e02b2c3d479"));
  for (
    const text of ["", "too_short", "x".repeat(257), "has a space in it 00", "löcal_dev_key_01"]
  ) {
    assert(!isKeyShaped(text), text);
  }
});

Deno.test("hintOf() shows what is public, and never the secret", () => {
  assertEquals(hintOf(formatKey(EXAMPLE)), "svc_live_AbCdEfGhIjKl…");
  assertEquals(hintOf("local_dev_key_01"), "loca…");
  assertNotEquals(hintOf("svc_live_not_a_whole_key"), "svc_live_not_a_whole_key");
});
