import { ToolError } from "../tool.ts";
import { ignoreRules, isAffordable } from "./ignore_rules.ts";

const MAX_GLOB_CHARS = 256;
const MAX_ALTERNATIVES = 16;

/**
 * Returns a matcher of paths for a glob: with the rules of a `.gitignore` line, and `{a,b}` in
 * addition. A glob without a slash matches names, one that names a folder matches everything in it.
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

/**
 * Escapes the beginning of a glob, which is neither a comment nor a negation, and starts at the
 * workspace.
 */
function literalStart(pattern: string): string {
  return pattern.replace(/^\.(?=\/)/, "").replace(/^[!#]/, "\\$&");
}
