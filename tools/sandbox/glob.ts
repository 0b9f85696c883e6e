import { ToolError } from "../tool.ts";
import { ignoreRules, isAffordable } from "./ignore_rules.ts";

const MAX_GLOB_CHARS = 256;
const MAX_ALTERNATIVES = 16;

/**
 * Whether a path matches a glob: as a line of a `.gitignore` would, and with `{a,b}` besides. One
 * without a slash is matched against names, one that names a folder matches all that is in it.
 */
export async function globMatcher(glob: string): Promise<(path: string) => boolean> {
  if (glob.length > MAX_GLOB_CHARS || !isAffordable(glob)) {
    throw new ToolError(
      `Cannot use the glob: at most ${MAX_GLOB_CHARS} characters and two ** are possible`,
      { code: "invalid_glob" },
    );
  }
  const { expand } = await import("brace-expansion");
  const patterns = expand(glob, { max: MAX_ALTERNATIVES }).map(literalStart);
  const rules = await ignoreRules(patterns, { isCaseSensitive: true });
  return (path) => rules.ignores(path);
}

/** As a glob means it: neither a comment nor a negation, and from the workspace on. */
function literalStart(pattern: string): string {
  return pattern.replace(/^\.(?=\/)/, "").replace(/^[!#]/, "\\$&");
}
