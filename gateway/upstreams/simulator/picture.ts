/**
 * Images of the simulator: plain patterns with a label.
 *
 * @module
 */

import type { Picture } from "./png.ts";

/** Width and height in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

type Colour = readonly [red: number, green: number, blue: number];

const BLACK: Colour = [0, 0, 0];
const WHITE: Colour = [255, 255, 255];
const LABEL = "SIMULATED";

/** Draws a pattern that depends on the seed, with the label. */
export function drawPicture(size: Size, seed: number): Picture {
  return labelled(drawPattern(size, seed));
}

/** Draws a pattern of squares whose colours and scale depend on the seed, without the label. */
export function drawPattern(size: Size, seed: number): Picture {
  const { width, height } = size;
  const pixels = new Uint8Array(width * height * 3);
  const colours = [colourOf(seed), colourOf(seed * 31 + 7), colourOf(seed * 17 + 3)];
  const square = Math.max(1, Math.floor(Math.min(width, height) / (4 + seed % 5)));
  const slope = 1 + (seed >>> 4) % 3;
  const stride = width * 3;
  for (let y = 0; y < height; y++) {
    // The rows of a square are equal.
    if (y % square > 0) pixels.copyWithin(y * stride, (y - 1) * stride, y * stride);
    else {
      const shift = y / square * slope;
      for (let x = 0; x < width; x++) {
        pixels.set(colours[(shift + Math.floor(x / square)) % 3] ?? BLACK, y * stride + x * 3);
      }
    }
  }
  return { width, height, pixels };
}

/** Resizes a picture, mixes every pixel with a colour of the seed, and adds the label. */
export function editPicture(picture: Picture, size: Size, seed: number): Picture {
  const { width, height } = size;
  const pixels = new Uint8Array(width * height * 3);
  const tint = colourOf(seed);
  for (let y = 0, to = 0; y < height; y++) {
    const row = Math.floor(y * picture.height / height) * picture.width;
    for (let x = 0; x < width; x++, to += 3) {
      const from = (row + Math.floor(x * picture.width / width)) * 3;
      for (let channel = 0; channel < 3; channel++) {
        const value = picture.pixels[from + channel] ?? 0;
        pixels[to + channel] = (value * 2 + (tint[channel] ?? 0)) / 3;
      }
    }
  }
  return labelled({ width, height, pixels });
}

/** Returns a colour that is neither very dark nor very light, so that the label is readable. */
function colourOf(seed: number): Colour {
  const mixed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) >>> 0;
  return [60 + mixed % 150, 60 + (mixed >>> 8) % 150, 60 + (mixed >>> 16) % 150];
}

/** Rows of five dots for the letters of {@linkcode LABEL}, the leftmost in the highest bit. */
const GLYPHS: Readonly<Record<string, readonly number[]>> = {
  S: [0b01111, 0b10000, 0b10000, 0b01110, 0b00001, 0b00001, 0b11110],
  I: [0b01110, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
  M: [0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001],
  U: [0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
  L: [0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b11111],
  A: [0b01110, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001],
  T: [0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100],
  E: [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111],
  D: [0b11110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b11110],
};
/** Dots from one letter to the next. */
const ADVANCE = 6;
const GLYPH_HEIGHT = 7;

/**
 * Writes the label across a bar at the bottom, as large as fits; on a tiny picture as much as fits.
 */
function labelled(picture: Picture): Picture {
  const { width, height } = picture;
  const dots = LABEL.length * ADVANCE + 1;
  const dot = Math.max(1, Math.floor(width / dots));
  const bar = Math.min(height, (GLYPH_HEIGHT + 2) * dot);
  const top = height - bar;
  fill(picture, { x: 0, y: top, width, height: bar }, BLACK);
  const margin = Math.max(0, Math.floor((width - (dots - 2) * dot) / 2));
  for (const [index, letter] of [...LABEL].entries()) {
    for (const [row, bits] of (GLYPHS[letter] ?? []).entries()) {
      for (let column = 0; column < 5; column++) {
        if ((bits >> (4 - column) & 1) === 0) continue;
        const x = margin + (index * ADVANCE + column) * dot;
        fill(picture, { x, y: top + (row + 1) * dot, width: dot, height: dot }, WHITE);
      }
    }
  }
  return picture;
}

function fill(
  { width, height, pixels }: Picture,
  area: Size & { readonly x: number; readonly y: number },
  colour: Colour,
): void {
  const right = Math.min(width, area.x + area.width);
  const bottom = Math.min(height, area.y + area.height);
  for (let y = area.y; y < bottom; y++) {
    for (let x = area.x; x < right; x++) pixels.set(colour, (y * width + x) * 3);
  }
}
