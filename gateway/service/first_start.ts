/**
 * The initial content of an empty store: a funded wallet, a key on it, and an admin token.
 *
 * @module
 */

import { MICROS_PER_CREDIT } from "../domain/ledger/money.ts";
import { ADMIN_DIGESTS, newAdminToken } from "../flows/keys/admin_tokens.ts";
import type { KeyRing } from "../flows/keys/key_ring.ts";
import type { Trail } from "../flows/operators/trail.ts";
import type { Peppers } from "../flows/keys/peppers.ts";
import type { Clock } from "../ports/clock.ts";
import type { KeyStore } from "../ports/key_store.ts";
import type { LedgerStore } from "../ports/ledger_store.ts";
import type { SettingsStore } from "../ports/settings_store.ts";
import { START } from "./start_author.ts";

/** Id of the wallet that the first key is charged to. */
export const FIRST_WALLET = "default";
/** Tier of the first wallet. */
export const FIRST_TIER = "standard";
/** Initial credits of the first wallet. */
export const STARTER_CREDITS = 1_000_000n;

/** Name of the setting that marks a completed first start. */
const DONE = "first_start_done";

/** Options of a first start. */
export interface FirstStartOptions {
  readonly ledger: LedgerStore;
  readonly keys: KeyStore;
  readonly keyRing: KeyRing;
  readonly peppers: Peppers;
  readonly settings: SettingsStore;
  readonly clock: Clock;
  readonly trail: Trail;
  /** Tier of the first wallet if the catalog has no `standard`. */
  readonly tier: string;
  readonly adminToken?: string | undefined;
  readonly bootstrapKey?: string | undefined;
}

/** The secrets of a first start, which are never shown again. */
export interface FirstSecrets {
  readonly key: string;
  readonly adminToken: string;
}

/** True when a first start was completed on the store. */
export async function isStarted(settings: Pick<SettingsStore, "get">): Promise<boolean> {
  return await settings.get(DONE) !== undefined;
}

/**
 * Sets up an empty store; resolves to `undefined` if that was done before. Safe to repeat after a
 * crash: a secret that was created and never shown is revoked. The caller confirms with {@linkcode
 * firstStartShown} that the secrets were shown.
 */
export async function firstStart(options: FirstStartOptions): Promise<FirstSecrets | undefined> {
  if (await isStarted(options.settings)) return undefined;
  const { trail, bootstrapKey, adminToken } = options;
  const action = { author: START, action: "firstStart", subject: `/wallets/${FIRST_WALLET}` };
  return await trail.change(action, {
    work: () => setUp(options),
    state: (secrets) =>
      Promise.resolve(
        secrets && {
          wallet: FIRST_WALLET,
          credits: `${STARTER_CREDITS}`,
          firstKey: bootstrapKey === undefined ? "created" : "given as SERVICE_BOOTSTRAP_KEY",
          adminAccess: adminToken === undefined ? "created" : "given as SERVICE_ADMIN_TOKEN",
        },
      ),
  });
}

/** Makes the wallet, its key and the admin token. */
async function setUp(options: FirstStartOptions): Promise<FirstSecrets> {
  const { ledger, keys, keyRing, settings, clock } = options;
  const atMs = clock.nowMs();
  if (options.bootstrapKey === undefined) {
    for await (const { record: { id } } of keys.all()) await keyRing.revoke(id);
  }
  await ledger.open({ kind: "open", walletId: FIRST_WALLET, tier: options.tier, atMs });
  await ledger.credit({
    kind: "credit",
    opId: "first-start",
    walletId: FIRST_WALLET,
    amount: STARTER_CREDITS * MICROS_PER_CREDIT,
    note: "Starter credits",
    atMs,
  });
  const issued = await keyRing.issue({
    name: "default",
    walletId: FIRST_WALLET,
    policy: { orchestration: { mode: "auto", stream: "all" } },
    key: options.bootstrapKey,
  });
  // An existing fixed key was created by a start that did not complete.
  const key = issued.ok ? issued.key : options.bootstrapKey;
  if (key === undefined || (!issued.ok && issued.refusal.code !== "key_taken")) {
    throw new Error("Cannot create the first key");
  }
  const adminToken = options.adminToken ?? newAdminToken();
  await settings.set(ADMIN_DIGESTS, options.peppers.digest(adminToken));
  return { key, adminToken };
}

/** Notes that the secrets were shown: later starts show none. */
export async function firstStartShown(settings: SettingsStore, clock: Clock): Promise<void> {
  await settings.set(DONE, new Date(clock.nowMs()).toISOString());
}
