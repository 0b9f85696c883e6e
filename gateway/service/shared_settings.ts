import type { Service } from "./assemble.ts";

/** Parts with settings in memory. */
type Remembering = Pick<Service, "adminTokens" | "lowBalances" | "pepperBook" | "deps">;

/** Reads peppers and admin tokens again, which another gateway may have changed. */
export async function readSecrets(
  { adminTokens, pepperBook }: Pick<Remembering, "adminTokens" | "pepperBook">,
): Promise<void> {
  // The digests of the tokens are under the peppers.
  await pepperBook.refresh();
  await adminTokens.refresh();
}

/** Reads again what is in memory of the settings, after one was changed. */
export async function readSettings(service: Remembering): Promise<void> {
  service.lowBalances.forget();
  await readSecrets(service);
  if (!service.pepperBook.peppers.isIncomplete) return;
  const message = "Another gateway uses a pepper that was not given to this one: start it again " +
    "with the same SERVICE_KEY_PEPPER";
  service.deps.logger.error("pepper_missing", { message });
}
