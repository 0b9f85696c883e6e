/**
 * A file whose text cannot be extracted; the message, the end of a sentence, is for the uploader.
 */
export class UnreadableFile extends Error {
  override name = "UnreadableFile";
}
