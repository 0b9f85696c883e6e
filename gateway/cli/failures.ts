/** The command was refused or failed: exit code 1. The message is for the operator. */
export class CliFailure extends Error {
  override name = "CliFailure";
}

/** Wrong usage: exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** Standard output was closed by its reader, as `head` does: the command ends silently. */
export class OutputClosed extends Error {
  override name = "OutputClosed";
}
