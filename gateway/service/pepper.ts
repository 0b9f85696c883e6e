import { createHmac, randomBytes } from "node:crypto";
import type { SettingsStore } from "../ports/settings_store.ts";

const PEPPER = "key_pepper";
const CHECK = "key_pepper_check";

/** The pepper does not fit the keys of this store. */
export class PepperError extends Error {
  override name = "PepperError";
}

/**
 * The pepper that this store's keys are digested under: the given one, which is never stored, or one
 * made on the first start and kept. Throws a {@linkcode PepperError} where it is not the one the
 * store's keys were made with: every key would be refused.
 */
export async function pepperOf(settings: SettingsStore, given?: string): Promise<string> {
  const pepper = given ??
    await settings.get(PEPPER) ??
    (await settings.get(CHECK) === undefined
      ? await settings.setOnce(PEPPER, randomBytes(32).toString("hex"))
      : undefined);
  if (pepper === undefined) {
    throw new PepperError(
      "Cannot read keys without SERVICE_KEY_PEPPER: this store's keys were made with one",
    );
  }
  const check = createHmac("sha256", pepper).update(CHECK).digest("hex");
  if (await settings.setOnce(CHECK, check) !== check) {
    throw new PepperError(
      "Cannot use this SERVICE_KEY_PEPPER: this store's keys were made with another",
    );
  }
  return pepper;
}
