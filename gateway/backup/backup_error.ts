/** A backup cannot be made, read or restored; the message is a sentence for the operator. */
export class BackupError extends Error {
  override name = "BackupError";
}
