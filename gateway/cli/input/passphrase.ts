import { fileErrorText } from "../../system/file_error_text.ts";
import type { Call } from "../command.ts";
import { CliFailure, UsageError } from "../failures.ts";

/** Minimum length of a new backup's passphrase, in characters: a shorter one could be guessed. */
const SHORTEST = 12;

/** Returns the passphrase for a new backup; `undefined` for an unsealed one. */
export async function newPassphrase(call: Call): Promise<string | undefined> {
  if (call.has("plain")) {
    if (call.has("passphrase-file")) throw new UsageError("Give --plain or --passphrase-file");
    return undefined;
  }
  const passphrase = await givenPassphrase(call);
  if (passphrase !== undefined) return requireLong(passphrase);
  if (!call.io.isTerminal) {
    throw new CliFailure(
      "Cannot seal the backup without a passphrase: give --passphrase-file or SERVICE_BACKUP_KEY, " +
        "or --plain for one that anyone with the file can read",
    );
  }
  const first = requireLong(await call.io.readSecret("Passphrase for the backup: "));
  const second = await call.io.readSecret("Once more: ");
  if (first !== second) throw new CliFailure("The passphrases differ");
  return first;
}

/** Returns the passphrase of an existing backup. */
export async function standingPassphrase(call: Call): Promise<string> {
  const passphrase = await givenPassphrase(call);
  if (passphrase !== undefined) return passphrase;
  if (call.io.isTerminal) return await call.io.readSecret("Passphrase of the backup: ");
  throw new CliFailure(
    "The backup is sealed: give its passphrase by --passphrase-file or SERVICE_BACKUP_KEY",
  );
}

/**
 * Reads the passphrase of the options. A file wins over the variable, being nearer to the command.
 */
async function givenPassphrase(call: Call): Promise<string | undefined> {
  const path = call.option("passphrase-file");
  if (path === undefined) return call.io.env.SERVICE_BACKUP_KEY || undefined;
  try {
    return (await call.io.readFile(path)).trim();
  } catch (cause) {
    throw new CliFailure(`Cannot read "${path}": ${fileErrorText(cause)}`, { cause });
  }
}

function requireLong(passphrase: string): string {
  if ([...passphrase].length >= SHORTEST) return passphrase;
  throw new CliFailure(`Cannot use this passphrase: give at least ${SHORTEST} characters`);
}
