import { fileTrouble } from "../../system/file_trouble.ts";
import type { Call } from "../command.ts";
import { CliFailure, UsageError } from "../failures.ts";

/** Shortest passphrase of a new backup, in characters: a shorter one could be tried out. */
const SHORTEST = 12;

/** The passphrase for a new backup; `undefined` where none is wanted. */
export async function newPassphrase(call: Call): Promise<string | undefined> {
  if (call.has("plain")) {
    if (call.has("passphrase-file")) throw new UsageError("Give --plain or --passphrase-file");
    return undefined;
  }
  const given = await givenPassphrase(call);
  if (given !== undefined) return requireLong(given);
  if (!call.io.isTerminal) {
    throw new CliFailure(
      "Cannot seal the backup without a passphrase: give --passphrase-file or SERVICE_BACKUP_KEY, " +
        "or --plain for one that whoever has the file can read",
    );
  }
  const first = requireLong(await call.io.readSecret("Passphrase for the backup: "));
  const second = await call.io.readSecret("Once more: ");
  if (first !== second) throw new CliFailure("The two passphrases differ");
  return first;
}

/** The passphrase of a backup that is there. */
export async function standingPassphrase(call: Call): Promise<string> {
  const given = await givenPassphrase(call);
  if (given !== undefined) return given;
  if (call.io.isTerminal) return await call.io.readSecret("Passphrase of the backup: ");
  throw new CliFailure(
    "The backup is sealed: give its passphrase by --passphrase-file or SERVICE_BACKUP_KEY",
  );
}

/** A file wins over the variable, being nearer to the command. */
async function givenPassphrase(call: Call): Promise<string | undefined> {
  const path = call.option("passphrase-file");
  if (path === undefined) return call.io.env.SERVICE_BACKUP_KEY || undefined;
  try {
    return (await call.io.readFile(path)).trim();
  } catch (cause) {
    throw new CliFailure(`Cannot read "${path}": ${fileTrouble(cause)}`, { cause });
  }
}

function requireLong(passphrase: string): string {
  if ([...passphrase].length >= SHORTEST) return passphrase;
  throw new CliFailure(`Cannot use this passphrase: give at least ${SHORTEST} characters`);
}
