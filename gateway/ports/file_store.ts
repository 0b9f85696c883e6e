/** A file that a caller uploaded. */
export interface CallerFile {
  /** `file_…`, never used again. */
  readonly id: string;
  /** Wallet whose keys see it. */
  readonly ownerId: string;
  readonly filename: string;
  readonly mediaType: string;
  /** OpenAI's word for the use of a file, as the caller sent it. */
  readonly purpose: string;
  readonly bytes: number;
  /** Unix time in milliseconds. */
  readonly createdAtMs: number;
  /** Unix time in milliseconds. @default {it is stored until it is deleted} */
  readonly expiresAtMs?: number | undefined;
}

/** Room of one owner's files. */
export interface FileRoom {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/**
 * The outcome of finishing an upload. `too_many`, `too_large`: the owner's room is used up. `full`:
 * the space of all owners is. `gone`: there is no such upload, or it was discarded meanwhile.
 */
export type FileFinished = "stored" | "too_many" | "too_large" | "full" | "gone";

/** Maximum size of a part, in bytes. */
export const PART_BYTES = 120 * 1024;

/** A part of an owner's files, in the order of their ids, which begin with the time. */
export interface FileRange {
  /** `asc` begins with the oldest. */
  readonly order: "asc" | "desc";
  /** Id before the first one in this order, whether there is such a file or not. @default {none} */
  readonly after?: string | undefined;
  /** Id after the last one in this order. @default {none} */
  readonly before?: string | undefined;
  /** Maximum number of files. */
  readonly limit: number;
}

/** A durable store of files of callers, which are written and read part by part. */
export interface CallerFileStore {
  /** Notes an upload, so that its parts are found if it is never finished. */
  begin(id: string, startedAtMs: number): Promise<void>;
  /** Writes a part of an upload, numbered from 0, of at most {@linkcode PART_BYTES}. */
  writePart(id: string, number: number, bytes: Uint8Array): Promise<void>;
  /**
   * Makes an upload a file, in one commit with the check of the owner's room. Any outcome but
   * `stored` leaves the upload as it was.
   */
  finish(file: CallerFile, room: FileRoom): Promise<FileFinished>;
  /**
   * Deletes the parts of an upload that will not be finished. Does nothing to a file: an upload whose
   * `finish` failed may have become one.
   */
  discard(id: string): Promise<void>;
  get(ownerId: string, id: string): Promise<CallerFile | undefined>;
  /** Returns the files of an owner, oldest first. */
  list(ownerId: string): Promise<readonly CallerFile[]>;
  /** Returns some of an owner's files, and reads no others. */
  page(ownerId: string, range: FileRange): Promise<readonly CallerFile[]>;
  /** Yields the bytes of a file; ends early if it is removed meanwhile. */
  content(file: CallerFile): AsyncIterable<Uint8Array<ArrayBuffer>>;
  /** Removes a file; returns false if there is none. */
  remove(ownerId: string, id: string): Promise<boolean>;
  /** Yields all files of all owners. */
  all(): AsyncIterable<CallerFile>;
  /** Discards uploads that began before a time and were never finished; resolves to their number. */
  sweepUploads(beforeMs: number): Promise<number>;
}
