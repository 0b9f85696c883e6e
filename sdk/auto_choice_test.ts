import { assertEquals, assertThrows } from "@std/assert";
import { autoHeader, type AutoOptions } from "./auto_choice.ts";
import { ConfigurationError } from "./errors.ts";

const HEADERS: readonly (readonly [AutoOptions, string | undefined])[] = [
  [{}, undefined],
  [{ verify: false }, undefined],
  [{ quality: 0 }, "quality=0"],
  [{ quality: 1 / 3 }, "quality=0.333333"],
  [{ quality: 1e-9 }, "quality=0"],
  [{ quality: "best", verify: true }, "quality=best, verify"],
  [{ verify: true }, "verify"],
];

for (const [auto, header] of HEADERS) {
  Deno.test(`autoHeader() of ${JSON.stringify(auto)}`, () => {
    assertEquals(autoHeader(auto), header);
  });
}

/** Values of plain JavaScript. */
const WRONG: readonly (readonly [string, object])[] = [
  ["auto.quality", { quality: 1.01 }],
  ["auto.quality", { quality: NaN }],
  ["auto.quality", { quality: "cheap\r\nx-api-key: k" }],
  ["auto.verify", { verify: "yes" }],
  ["auto: it has no member", { speed: 1 }],
];

for (const [part, auto] of WRONG) {
  Deno.test(`autoHeader() refuses ${JSON.stringify(auto)}`, () => {
    assertThrows(() => autoHeader(auto), ConfigurationError, `Cannot use ${part}`);
  });
}
