import type { Ignore } from "ignore";

const MAX_RULES = 1_000;
/** Each `**` multiplies the ways in which a deep path may match. */
const MAX_GLOBSTARS = 2;
/** Rules with so many `**` that they are slow on deep paths. */
const MAX_SLOW_RULES = 16;

/** Rules as in a `.gitignore`. Their library is loaded on first use, not with the package. */
export async function ignoreRules(
  lines: readonly string[],
  { isCaseSensitive }: { readonly isCaseSensitive: boolean },
): Promise<Ignore> {
  const { default: ignore } = await import("ignore");
  return ignore({ ignorecase: !isCaseSensitive }).add([...lines]);
}

/** Whether a pattern can be matched in a time that depends little on the path. */
export function isAffordable(pattern: string): boolean {
  return globstars(pattern) <= MAX_GLOBSTARS;
}

/**
 * The rules that can be matched in a bounded time. Nobody writes the others, but for one who wants
 * to keep the search busy.
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
