/** A file whose text cannot be had; the message, the end of a sentence, is for whoever sent it. */
export class UnreadableFile extends Error {
  override name = "UnreadableFile";
}
