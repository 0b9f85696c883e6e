import type { Call } from "../command.ts";
import { CliFailure } from "../failures.ts";

/** True where a person can be asked: under `--json` a program reads what is printed. */
export function canAsk({ io, has }: Pick<Call, "io" | "has">): boolean {
  return io.isTerminal && !has("yes") && !has("json");
}

/**
 * Lets a command go on that cuts somebody off: by `--yes`, or by a yes on a terminal. Where neither
 * can be, it fails before anything is changed.
 */
export async function requireAgreement(call: Call, question: string): Promise<void> {
  if (call.has("yes")) return;
  requirePerson(call);
  if (!await call.io.confirm(question)) throw new CliFailure("Nothing was changed");
}

/** Fails where nobody can be asked, and `--yes` was not given. */
export function requirePerson(call: Call): void {
  if (canAsk(call) || call.has("yes")) return;
  throw new CliFailure("Nobody can be asked here: run this on a terminal, or with --yes");
}
