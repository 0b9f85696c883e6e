/**
 * The keys and tokens whose digests were made with a pepper.
 *
 * @module
 */

import { mayServe } from "../../domain/policy/key.ts";
import type { Clock } from "../../ports/clock.ts";
import type { KeyStore } from "../../ports/key_store.ts";
import type { OperatorStore } from "../../ports/operator_store.ts";
import type { SettingsStore } from "../../ports/settings_store.ts";
import { ADMIN_DIGESTS } from "./admin_tokens.ts";
import { usesPepper } from "./peppers.ts";

/** A known pepper as it is stored. */
export interface KnownPepper {
  readonly version: number;
  /** Digest that identifies a given pepper. */
  readonly check: string;
  /** Secret, only if the store holds the pepper: a given pepper is never stored. */
  readonly secret?: string | undefined;
}

/** The stores of the peppers and of the digests made with them. */
export interface PepperDeps {
  readonly settings: SettingsStore;
  readonly keys: Pick<KeyStore, "all" | "underPepper">;
  readonly operatorStore: Pick<OperatorStore, "all">;
  readonly clock: Pick<Clock, "nowMs">;
}

/** Maximum number of keys that are named, or counted where only their existence matters. */
export const KEY_IDS_MAX = 500;

/** The keys and tokens that use a pepper. */
export interface PepperUse {
  readonly version: number;
  /** True when the store holds it; otherwise it is given at every start. */
  readonly kept: boolean;
  /** Number of keys that are active or may become so again. */
  readonly keys: number;
  /** Ids of the first {@linkcode KEY_IDS_MAX} of them. */
  readonly keyIds: readonly string[];
  readonly adminToken: boolean;
  /** Number of operators' tokens that have not expired. */
  readonly operatorTokens: number;
}

/** The users of a pepper. */
type PepperUsers = Pick<PepperUse, "keys" | "adminToken" | "operatorTokens">;

/** Describes the use of a pepper. */
export function usersText({ keys, adminToken, operatorTokens }: PepperUsers): string {
  const users = [
    ...keys === 0 ? [] : [keys === 1 ? "1 key" : `${keys} keys`],
    ...adminToken ? ["the admin token"] : [],
    ...operatorTokens === 0 ? [] : [`operators' tokens (${operatorTokens})`],
  ];
  return users.length === 0 ? "0 keys" : users.join(" and ");
}

/** True when nothing needs a pepper. */
export function isUnused({ keys, adminToken, operatorTokens }: PepperUsers): boolean {
  return keys === 0 && !adminToken && operatorTokens === 0;
}

/** The keys that need a pepper. */
export class KeysInNeed {
  count = 0;
  /** The first {@linkcode KEY_IDS_MAX}. */
  readonly ids: string[] = [];

  /** Adds a key. */
  add(id: string): void {
    if (++this.count <= KEY_IDS_MAX) this.ids.push(id);
  }
}

/** Returns the use of a pepper. */
export async function usesOf(deps: PepperDeps, pepper: KnownPepper): Promise<PepperUse> {
  const users = new KeysInNeed();
  for await (const id of usersOf(deps, pepper.version)) users.add(id);
  return await useOf(deps, pepper, users);
}

/** Returns the use of a pepper by keys that are known, and by tokens. */
export async function useOf(
  { settings, operatorStore, clock }: PepperDeps,
  { version, secret }: KnownPepper,
  { count: keys, ids: keyIds }: KeysInNeed,
): Promise<PepperUse> {
  const digests = (await settings.get(ADMIN_DIGESTS))?.split(" ") ?? [];
  return {
    ...{ version, keys, keyIds },
    kept: secret !== undefined,
    adminToken: digests.some((digest) => usesPepper(digest, version)),
    operatorTokens: (await operatorStore.all()).flatMap(({ tokens }) => tokens)
      .filter((token) => usesPepper(token.digest, version) && clock.nowMs() < token.expiresAtMs)
      .length,
  };
}

/** Yields the ids of the keys that need a version of the pepper. */
export async function* usersOf(deps: PepperDeps, version: number): AsyncGenerator<string> {
  const nowMs = deps.clock.nowMs();
  for await (const record of deps.keys.underPepper(version)) {
    if (mayServe(record, nowMs)) yield record.id;
  }
}
