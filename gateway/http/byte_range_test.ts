import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { byteRange } from "./byte_range.ts";

Deno.test("a single range of bytes is read", () => {
  const rows: [string | undefined, ReturnType<typeof byteRange>][] = [
    ["bytes=0-0", { start: 0, end: 1 }],
    ["bytes=2-5", { start: 2, end: 6 }],
    ["Bytes=2-", { start: 2, end: 10 }],
    [" bytes=2-99999999999999999999 ", { start: 2, end: 10 }],
    ["bytes=-3", { start: 7, end: 10 }],
    ["bytes=-30", { start: 0, end: 10 }],
    ["bytes=10-", "unsatisfiable"],
    ["bytes=10-20", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    // What is no such range is ignored.
    [undefined, undefined],
    ["", undefined],
    ["bytes=-", undefined],
    ["bytes=5-2", undefined],
    ["bytes=50-20", undefined],
    ["bytes=0-1,3-4", undefined],
    ["bytes=a-b", undefined],
    ["lines=0-1", undefined],
  ];
  for (const [header, range] of rows) assertEquals(byteRange(header, 10), range, header);
  assertEquals(byteRange("bytes=0-", 0), "unsatisfiable");
});

Deno.test("a range is always within the file", () => {
  const part = fc.oneof(fc.constant(""), fc.nat().map(String), fc.bigInt({ min: 0n }).map(String));
  fc.assert(fc.property(part, part, fc.nat(1_000), (first, last, size) => {
    const range = byteRange(`bytes=${first}-${last}`, size);
    if (typeof range !== "object") return;
    assert(range.start >= 0 && range.start < range.end && range.end <= size);
  }));
});
