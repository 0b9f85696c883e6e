/**
 * Files that hold secrets, which no tool reads or searches unless the application says otherwise:
 * patterns as in a `.gitignore`, without regard to case.
 *
 * @example
 * ```ts
 * import { DEFAULT_FILE_DENY, fileRead } from "@svc/tools";
 *
 * const tool = fileRead({ workspace: ".", fileDeny: [...DEFAULT_FILE_DENY, "customers/"] });
 * ```
 */
export const DEFAULT_FILE_DENY: readonly string[] = [
  ".env",
  ".env.*",
  "!.env.example",
  "!.env.sample",
  "!.env.template",
  "*.pem",
  "*.key",
  "*.p12",
  "*.pfx",
  "*.ppk",
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ed25519",
  ".netrc",
  ".git-credentials",
];
