import type { Ignore } from "ignore";

const MAX_RULES = 1_000;
/** Largest number of `**` in a pattern: each multiplies the ways in which a deep path may match. */
const MAX_GLOBSTARS = 2;
/** Largest number of rules with several `**`, which are slow on deep paths. */
const MAX_SLOW_RULES = 16;

/**
 * Returns rules as in a `.gitignore`. Their library is loaded at first use, not with the package.
 */
export async function ignoreRules(
  lines: readonly string[],
  { isCaseSensitive }: { readonly isCaseSensitive: boolean },
): Promise<Ignore> {
  const { default: ignore } = await import("ignore");
  return ignore({ ignorecase: !isCaseSensitive }).add([...lines]);
}

/** True for a pattern whose matching time depends little on the path. */
export function isAffordable(pattern: string): boolean {
  return globstars(pattern) <= MAX_GLOBSTARS;
}

/**
 * Returns the rules with a bounded matching time. The remaining rules are dropped: they occur only
 * in attempts to slow the search down.
 */
export function affordable(lines: readonly string[]): string[] {
  let slow = 0;
  return lines.filter(isAffordable).slice(0, MAX_RULES).filter((line) =>
    globstars(line) < MAX_GLOBSTARS || ++slow <= MAX_SLOW_RULES
  );
}

function globstars(pattern: string): number {
  return pattern.split("**").length - 1;
}
