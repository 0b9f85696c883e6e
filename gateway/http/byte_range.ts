/** A range of bytes of a file. */
export interface ByteRange {
  readonly start: number;
  /** Index after the last byte. */
  readonly end: number;
}

/**
 * Returns the range that a `Range` header requests of a file of `size` bytes. Returns `undefined`
 * where the whole file is to be sent, as the standard allows for several ranges and demands for
 * other units, and "unsatisfiable" where the file ends before the range.
 */
export function byteRange(
  header: string | undefined,
  size: number,
): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (first !== "" && last !== "" && Number(last) < start) return undefined;
  return start < end ? { start, end } : "unsatisfiable";
}
