/**
 * The path from a room of the house on, whatever the path before it: `gateway/domain/ledger/money.ts` of
 * `/somewhere/gateway/domain/ledger/money.ts`. `undefined` where the file is not in that room.
 */
export function pathInRoom(filename: string, room: string): string | undefined {
  const path = "/" + filename.replaceAll("\\", "/").replace(/^\//, "");
  const at = path.lastIndexOf(`/${room}/`);
  return at < 0 ? undefined : path.slice(at + 1);
}

/** Whether a file is a test. */
export function isTest(filename: string): boolean {
  return filename.endsWith("_test.ts");
}
