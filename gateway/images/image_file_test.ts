import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { GIF, JPEG, PNG, pngSized, WEBP } from "./image_fixture.ts";
import { imageTypeOf, readImageFile } from "./image_file.ts";

const FILES: [string, Uint8Array, string, number, number][] = [
  ["PNG", PNG, "image/png", 3, 2],
  ["JPEG", JPEG, "image/jpeg", 5, 4],
  ["GIF", GIF, "image/gif", 7, 6],
  ["lossy WebP", WEBP.lossy, "image/webp", 9, 8],
  ["lossless WebP", WEBP.lossless, "image/webp", 9, 8],
  ["extended WebP", WEBP.extended, "image/webp", 9, 8],
];

for (const [name, bytes, type, width, height] of FILES) {
  Deno.test(`readImageFile() reads a ${name}`, () => {
    assertEquals(readImageFile(bytes), { type, width, height } as never);
    assertEquals(imageTypeOf(bytes.subarray(0, 16)), type as never);
    // A view into something larger is read as what it is.
    const within = new Uint8Array(bytes.length + 9);
    within.set(bytes, 5);
    assertEquals(
      readImageFile(within.subarray(5, 5 + bytes.length)),
      { type, width, height } as never,
    );
  });

  Deno.test(`readImageFile() refuses a ${name} cut anywhere`, () => {
    for (let length = 0; length < bytes.length; length++) {
      assert("problem" in readImageFile(bytes.slice(0, length)), `${name} cut at ${length}`);
    }
  });

  Deno.test(`readImageFile() never throws for a damaged ${name}`, () => {
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255));
    fc.assert(fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
      const damaged = bytes.slice();
      for (const [at, value] of changes) damaged[at] = value;
      const read = readImageFile(damaged);
      assert("problem" in read || (read.width > 0 && read.height > 0));
    }));
  });
}

Deno.test("Trailing bytes do no harm, nor does a PNG without pixels pass", () => {
  for (const [, bytes, type] of FILES) {
    const longer = new Uint8Array(bytes.length + 20);
    longer.set(bytes);
    assertEquals("type" in readImageFile(longer), true, type);
  }
  assert("problem" in readImageFile(pngSized(0, 5)));
  assert("problem" in readImageFile(PNG.subarray(0, 33)));
});

/** Counts how often it is searched: each search of a long file is a call into the platform. */
class Searched extends Uint8Array {
  searches = 0;

  override lastIndexOf(...search: Parameters<Uint8Array["lastIndexOf"]>): number {
    this.searches++;
    return super.lastIndexOf(...search);
  }
}

Deno.test("A JPEG that nearly ends at every byte is read through once", () => {
  const bytes = new Searched(JPEG.length + 10_000);
  bytes.fill(0xd9);
  bytes.set(JPEG);
  const { searches } = bytes;
  assert(!("problem" in readImageFile(bytes)));
  bytes.set([0, 0], JPEG.length - 2);
  assert("problem" in readImageFile(bytes));
  assert(bytes.searches - searches <= 2, `${bytes.searches} searches`);
});

Deno.test("bytes that are not an image have no image type", () => {
  const texts = [
    "",
    "GIF",
    "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "%PDF-1.7",
    "BM",
    "RIFF1234WAVE",
  ];
  for (const text of texts) {
    const bytes = new TextEncoder().encode(text);
    assertEquals(imageTypeOf(bytes), undefined);
    assert("problem" in readImageFile(bytes));
  }
});
