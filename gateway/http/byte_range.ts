/** A stretch of a file. */
export interface ByteRange {
  readonly start: number;
  /** The byte after its last. */
  readonly end: number;
}

/**
 * The stretch that a `Range` header asks for of a file of so many bytes; `undefined` where all of it is
 * to be sent, as the standard allows for several ranges and demands for what is no range of bytes;
 * "unsatisfiable" where the file ends before it.
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
