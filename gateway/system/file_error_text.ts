/**
 * Returns a file error in words, without the system's error number, its call and the path, which
 * the reader already knows.
 */
export function fileErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  // The runtime names a flag for programs that may access everything.
  if (/^Requires all access to /.test(message)) return "It is a device or another special file";
  return message.replace(/ \(os error \d+\)(?:: .*)?$/s, "");
}
