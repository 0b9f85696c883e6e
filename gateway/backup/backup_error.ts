/** A failure to make, read or restore a backup; the message is a sentence for the operator. */
export class BackupError extends Error {
  override name = "BackupError";
}
