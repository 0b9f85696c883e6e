/** Number of columns with eight bytes per row. */
export const WIDE = 2;
/** Number of columns with four bytes per row. */
export const MIDDLE = 7;
/** Number of columns with two bytes per row. */
export const NARROW = 5;
/** Bytes per row in all columns. */
export const ROW_BYTES = WIDE * 8 + MIDDLE * 4 + NARROW * 2;
/** The numbers of a fixed number of rows, column by column. */
export class Columns {
  readonly capacity: number;
  readonly bytes: Uint8Array;
  readonly #wide: Float64Array;
  readonly #middle: Uint32Array;
  readonly #narrow: Uint16Array;

  constructor(capacity: number, buffer = new ArrayBuffer(ROW_BYTES * capacity), offset = 0) {
    this.capacity = capacity;
    this.bytes = new Uint8Array(buffer, offset, ROW_BYTES * capacity);
    const middle = offset + WIDE * 8 * capacity;
    this.#wide = new Float64Array(buffer, offset, WIDE * capacity);
    this.#middle = new Uint32Array(buffer, middle, MIDDLE * capacity);
    this.#narrow = new Uint16Array(buffer, middle + MIDDLE * 4 * capacity, NARROW * capacity);
  }

  wide(column: number): Float64Array {
    return this.#wide.subarray(column * this.capacity, (column + 1) * this.capacity);
  }

  middle(column: number): Uint32Array {
    return this.#middle.subarray(column * this.capacity, (column + 1) * this.capacity);
  }

  narrow(column: number): Uint16Array {
    return this.#narrow.subarray(column * this.capacity, (column + 1) * this.capacity);
  }

  /** Returns the first rows alone. */
  cut(rows: number): Columns {
    const copy = new Columns(rows);
    for (let at = 0; at < WIDE; at++) copy.wide(at).set(this.wide(at).subarray(0, rows));
    for (let at = 0; at < MIDDLE; at++) copy.middle(at).set(this.middle(at).subarray(0, rows));
    for (let at = 0; at < NARROW; at++) copy.narrow(at).set(this.narrow(at).subarray(0, rows));
    return copy;
  }
}
