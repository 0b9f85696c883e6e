/**
 * Returns a path from a package folder on: `gateway/domain/ledger/money.ts` for
 * `/somewhere/gateway/domain/ledger/money.ts`. Returns `undefined` for a file outside the package.
 */
export function pathInPackage(filename: string, packageName: string): string | undefined {
  const path = "/" + filename.replaceAll("\\", "/").replace(/^\//, "");
  const at = path.lastIndexOf(`/${packageName}/`);
  return at < 0 ? undefined : path.slice(at + 1);
}

/** Returns true for a test file. */
export function isTest(filename: string): boolean {
  return filename.endsWith("_test.ts");
}
