/** Columns of eight bytes a row. */
export const WIDE = 2;
/** Of four. */
export const MIDDLE = 7;
/** Of two. */
export const NARROW = 5;
/** Bytes of a row in all columns. */
export const ROW_BYTES = WIDE * 8 + MIDDLE * 4 + NARROW * 2;
/** The numbers of so many rows, a column after the other. */
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

  /** The first rows alone. */
  cut(rows: number): Columns {
    const cut = new Columns(rows);
    for (let at = 0; at < WIDE; at++) cut.wide(at).set(this.wide(at).subarray(0, rows));
    for (let at = 0; at < MIDDLE; at++) cut.middle(at).set(this.middle(at).subarray(0, rows));
    for (let at = 0; at < NARROW; at++) cut.narrow(at).set(this.narrow(at).subarray(0, rows));
    return cut;
  }
}
