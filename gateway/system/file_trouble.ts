/**
 * What an error with a file says, in words: the number of the system's error, its call and the path
 * once more say nothing to whoever named the file.
 */
export function fileTrouble(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  // The flag that the runtime names is for whoever wants a program to reach everything.
  if (/^Requires all access to /.test(message)) return "It is a device or another special file";
  return message.replace(/ \(os error \d+\)(?:: .*)?$/s, "");
}
