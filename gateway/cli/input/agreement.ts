import type { Call } from "../command.ts";
import { CliFailure } from "../failures.ts";

/** True when a person can be asked: under `--json` a program reads the output. */
export function canAsk({ io, has }: Pick<Call, "io" | "has">): boolean {
  return io.isTerminal && !has("yes") && !has("json");
}

/**
 * Requires agreement to a command that interrupts callers: `--yes`, or a yes on a terminal. Without
 * either it fails before anything is changed.
 */
export async function requireAgreement(call: Call, question: string): Promise<void> {
  if (call.has("yes")) return;
  requirePerson(call);
  if (!await call.io.confirm(question)) throw new CliFailure("Nothing was changed");
}

/** Fails when no person can be asked and `--yes` is absent. */
export function requirePerson(call: Call): void {
  if (canAsk(call) || call.has("yes")) return;
  throw new CliFailure("Cannot ask for confirmation here: run this on a terminal, or with --yes");
}
