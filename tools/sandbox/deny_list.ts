import { affordable } from "./ignore_rules.ts";

/**
 * Files that hold secrets; no tool reads or searches them unless the application decides otherwise.
 * Patterns as in a `.gitignore`, without regard to case. Files that end in `.example`, `.sample` or
 * `.template` hold none.
 *
 * @example
 * ```ts
 * import { DEFAULT_FILE_DENY, fileRead } from "@svc/tools";
 * import { assert } from "@std/assert";
 *
 * const tool = fileRead({ workspace: ".", fileDeny: [...DEFAULT_FILE_DENY, "customers/"] });
 * assert(tool.name === "file_read" && DEFAULT_FILE_DENY.includes(".env"));
 * ```
 */
export const DEFAULT_FILE_DENY: readonly string[] = [
  ".env",
  ".env.*",
  ".env~",
  ".envrc",
  "*.env",
  ".dev.vars*",
  "*.pem",
  "*.key",
  "*.p8",
  "*.p12",
  "*.pfx",
  "*.ppk",
  "*.jks",
  "*.keystore",
  "id_rsa*",
  "id_dsa*",
  "id_ecdsa*",
  "id_ed25519*",
  "!id_*.pub",
  ".netrc",
  "_netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".htpasswd",
  ".git-credentials",
  "**/.git/config",
  "**/.git/config.worktree",
  "**/.git/worktrees/*/config.worktree",
  "**/.git/modules/**/config",
  ".dockercfg",
  ".vault-token",
  ".ssh/",
  "svc.json",
  "*.admin.json",
  "kubeconfig",
  "credentials.json",
  "application_default_credentials.json",
  "service-account*.json",
  "service_account*.json",
  "*.tfstate",
  "*.tfstate.*",
  "**/.aws/credentials",
  "**/.cargo/credentials*",
  "**/.docker/config.json",
  "**/.kube/config",
  "!*.example",
  "!*.sample",
  "!*.template",
];

/**
 * Checks a list of patterns to deny.
 *
 * @throws {TypeError} A pattern would have to be left out.
 */
export function denyList(patterns: readonly string[]): readonly string[] {
  if (!Array.isArray(patterns) || patterns.some((pattern) => typeof pattern !== "string")) {
    throw new TypeError("Cannot deny the files: fileDeny is not a list of patterns");
  }
  const affordablePatterns = new Set(affordable(patterns));
  const invalid = patterns.find((pattern) => !affordablePatterns.has(pattern));
  // Letters with accents have two encodings, and some systems treat both as one name.
  if (invalid === undefined) return patterns.map((pattern) => pattern.normalize());
  throw new TypeError(
    `Cannot deny the files ${
      JSON.stringify(invalid)
    }: at most 1000 patterns are possible, at most two ` +
      "** in each, and at most 16 with two",
  );
}
