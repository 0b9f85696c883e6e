import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { crc32, deflateSync } from "node:zlib";
import fc from "fast-check";
import { readImageFile } from "../../images/image_file.ts";
import { decodePng, encodePng } from "./png.ts";

/** A file of any layout; rows have their filter bytes already. */
function pngOf(
  header: { width: number; height: number; depth: number; colour: number; interlaced?: number },
  rows: Uint8Array,
  palette?: number[],
): Uint8Array {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(header.width, 0);
  head.writeUInt32BE(header.height, 4);
  head.set([header.depth, header.colour, 0, 0, header.interlaced ?? 0], 8);
  const chunk = (name: string, content: Uint8Array) => {
    const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(name), content, Buffer.alloc(4)]);
    bytes.writeUInt32BE(content.length, 0);
    bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
    return bytes;
  };
  const data = deflateSync(rows);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    ...(palette === undefined ? [] : [chunk("PLTE", Uint8Array.from(palette))]),
    // Content may come in pieces.
    chunk("IDAT", data.subarray(0, 3)),
    chunk("IDAT", data.subarray(3)),
    chunk("IEND", new Uint8Array()),
  ]);
}

Deno.test("a picture is a PNG and is decoded unchanged", async () => {
  const size = fc.integer({ min: 1, max: 20 });
  await fc.assert(fc.asyncProperty(size, size, fc.nat(), async (width, height, seed) => {
    const pixels = Uint8Array.from({ length: width * height * 3 }, (_, at) => at * seed % 256);
    const file = await encodePng({ width, height, pixels });
    assertEquals(readImageFile(file), { type: "image/png", width, height });
    assertEquals(await decodePng(file), { width, height, pixels });
  }));
});

Deno.test("Every colour type and depth is read", async () => {
  const two = { width: 2, height: 1 };
  const rows: [Uint8Array, number[]][] = [
    // Grey: one bit, two, four, eight, sixteen.
    [pngOf({ ...two, depth: 1, colour: 0 }, Uint8Array.of(0, 0b01000000)), [
      0,
      0,
      0,
      255,
      255,
      255,
    ]],
    [pngOf({ ...two, depth: 2, colour: 0 }, Uint8Array.of(0, 0b01110000)), [
      85,
      85,
      85,
      255,
      255,
      255,
    ]],
    [pngOf({ ...two, depth: 4, colour: 0 }, Uint8Array.of(0, 0x1f)), [17, 17, 17, 255, 255, 255]],
    [pngOf({ ...two, depth: 8, colour: 0 }, Uint8Array.of(0, 3, 9)), [3, 3, 3, 9, 9, 9]],
    [pngOf({ ...two, depth: 16, colour: 0 }, Uint8Array.of(0, 3, 7, 9, 7)), [3, 3, 3, 9, 9, 9]],
    // Colour, a palette, and transparency laid on white.
    [pngOf({ ...two, depth: 8, colour: 2 }, Uint8Array.of(0, 1, 2, 3, 4, 5, 6)), [
      1,
      2,
      3,
      4,
      5,
      6,
    ]],
    [
      pngOf({ ...two, depth: 4, colour: 3 }, Uint8Array.of(0, 0x10), [1, 2, 3, 4, 5, 6]),
      [4, 5, 6, 1, 2, 3],
    ],
    [pngOf({ ...two, depth: 8, colour: 4 }, Uint8Array.of(0, 8, 255, 8, 0)), [
      8,
      8,
      8,
      255,
      255,
      255,
    ]],
    [
      pngOf({ ...two, depth: 8, colour: 6 }, Uint8Array.of(0, 1, 2, 3, 255, 100, 0, 0, 51)),
      [1, 2, 3, 224, 204, 204],
    ],
  ];
  for (const [file, pixels] of rows) {
    const picture = await decodePng(file);
    assertEquals([...picture?.pixels ?? []], pixels);
  }
});

Deno.test("Every filter is undone", async () => {
  const grey = { width: 3, height: 2, depth: 8, colour: 0 };
  const expected = [10, 20, 30, 11, 22, 33];
  // The second row, as each filter writes it beside the first.
  const rows = [
    [0, 11, 22, 33],
    [1, 11, 11, 11],
    [2, 1, 2, 3],
    [3, 6, 7, 7],
    [4, 1, 2, 3],
  ];
  for (const [filter = 0, ...row] of rows) {
    const file = pngOf(grey, Uint8Array.of(1, 10, 10, 10, filter, ...row));
    const picture = await decodePng(file);
    const first = [...picture?.pixels ?? []].filter((_, at) => at % 3 === 0);
    assertEquals(first, expected, `filter ${filter}`);
  }
});

Deno.test("damage, bombs and unsupported files are returned as errors, never thrown", async () => {
  const grey = { width: 3, height: 1, depth: 8, colour: 0 };
  const good = pngOf(grey, Uint8Array.of(0, 1, 2, 3));
  assert(await decodePng(good) !== undefined);
  const rows: Uint8Array[] = [
    pngOf(grey, new Uint8Array(50_000_000)),
    pngOf(grey, Uint8Array.of(0, 1)),
    pngOf(grey, Uint8Array.of(9, 1, 2, 3)),
    pngOf({ ...grey, interlaced: 1 }, Uint8Array.of(0, 1, 2, 3)),
    pngOf({ ...grey, depth: 3 }, Uint8Array.of(0, 1, 2, 3)),
    pngOf({ ...grey, colour: 5 }, Uint8Array.of(0, 1, 2, 3)),
    pngOf({ ...grey, colour: 2, depth: 4 }, Uint8Array.of(0, 1, 2, 3, 4, 5)),
    pngOf({ ...grey, colour: 3 }, Uint8Array.of(0, 1, 2, 3)),
    good.slice(0, 20),
    new Uint8Array(8),
  ];
  for (const [index, file] of rows.entries()) {
    assertEquals(await decodePng(file), undefined, `row ${index}`);
  }
  for (let at = 8; at < good.length; at++) {
    const damaged = Uint8Array.from(good);
    damaged[at] = (damaged[at] ?? 0) ^ 0x10;
    const picture = await decodePng(damaged);
    // Bytes after the last chunk's checksum have no meaning.
    assertEquals(picture, undefined, `damaged at ${at}`);
  }
});
