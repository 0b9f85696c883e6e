import { hash } from "node:crypto";

/** Returns the SHA-256 of a line behind the hash of the line before it, hexadecimal. */
export function chainHash(before: string, line: string): string {
  return hash("sha256", `${before}\n${line}`, "hex");
}
