/**
 * Fields that lists are sorted by. Loads no schema, so that pages may use it.
 *
 * @module
 */

/** Maximum number of wallets or keys that are sorted by a field without an index. */
export const SORTED_MAX = 2_000;

/** Fields that wallets are sorted by. */
export const WALLET_SORTS = ["id", "tier", "available", "held", "spent", "credits"] as const;

/** Fields that keys are sorted by. */
export const KEY_SORTS = ["created", "name", "wallet", "state", "used"] as const;

/** Returns the values of a field `sort`: each name, and with a minus sign for descending order. */
export function sortFields<Name extends string>(names: readonly Name[]): (Name | `-${Name}`)[] {
  return names.flatMap((name) => [name, `-${name}` as const]);
}
