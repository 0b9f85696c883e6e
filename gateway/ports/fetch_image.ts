/** A file with its media type. */
export interface MediaFile {
  /** In lower case, without parameters; empty if it is unknown. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Reason why content of a caller was refused: a clause that follows "Cannot accept …: ". */
export interface Unreadable {
  readonly problem: string;
}

/**
 * Fetches an image from an address that a caller named, with the rights of a stranger on the
 * Internet. Never throws for failures of the server; rejects with the reason of the signal.
 */
export type FetchImage = (url: string, signal: AbortSignal) => Promise<MediaFile | Unreadable>;

/** Fetches a document in the same way. */
export type FetchFile = FetchImage;

/** True when a result is a refusal. */
export function isUnreadable(result: object): result is Unreadable {
  return "problem" in result;
}
