/** A file with its media type. */
export interface MediaFile {
  /** In lower case, without parameters; empty where it is not known. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Why something from a caller could not be taken: one clause that follows "Cannot accept …: ". */
export interface Unreadable {
  readonly problem: string;
}

/**
 * Fetches an image from an address that a caller named, as a stranger on the Internet could. Never
 * throws for what the other side does; rejects with the signal's reason where that is aborted.
 */
export type FetchImage = (url: string, signal: AbortSignal) => Promise<MediaFile | Unreadable>;

/** Fetches a document likewise. */
export type FetchFile = FetchImage;

/** Whether a result says why there is none. */
export function isUnreadable(result: object): result is Unreadable {
  return "problem" in result;
}
