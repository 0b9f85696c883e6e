import { assertThrows } from "@std/assert";
import { autoHeader } from "./auto_choice.ts";
import { ConfigurationError } from "./errors.ts";

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
