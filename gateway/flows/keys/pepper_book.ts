/**
 * The peppers that the digests of a store are made with, and their rotation.
 *
 * @module
 */

import { createHmac, randomBytes } from "node:crypto";
import { mayServe } from "../../domain/policy/key.ts";
import { STORED_PEPPER } from "../../domain/policy/key_format.ts";
import { ADMIN_DIGESTS } from "./admin_tokens.ts";
import { type Pepper, Peppers, usesPepper, versionOf } from "./peppers.ts";
import type { Clock } from "../../ports/clock.ts";
import type { KeyStore } from "../../ports/key_store.ts";
import type { SettingsStore } from "../../ports/settings_store.ts";

/** Name of the setting with the known peppers, the current one first. */
const PEPPERS = "key_peppers";
/** Settings of stores that were written before peppers had versions: the pepper, and its check. */
const FIRST_PEPPER = "key_pepper";
const CHECK = "key_pepper_check";

/** The given peppers do not match the keys of this store. */
export class PepperError extends Error {
  override name = "PepperError";
}

/** A known pepper as it is stored. */
interface KnownPepper {
  readonly version: number;
  /** Digest that identifies a given pepper. */
  readonly check: string;
  /** Secret, only if the store holds the pepper: a given pepper is never stored. */
  readonly secret?: string | undefined;
}

/** Peppers given to this start. */
export interface GivenPeppers {
  readonly current?: string | undefined;
  /** The pepper that `current` replaces; {@linkcode STORED_PEPPER} for the stored one. */
  readonly previous?: string | undefined;
}

/** The stores of the peppers and of the digests made with them. */
export interface PepperDeps {
  readonly settings: SettingsStore;
  readonly keys: Pick<KeyStore, "all" | "underPepper">;
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
}

/** The reason why the peppers were not changed. */
export type PepperRefusal =
  | { readonly code: "pepper_given" }
  | { readonly code: "no_previous" }
  | { readonly code: "in_use"; readonly use: PepperUse };

/** The outcome of a change of the peppers. */
export type PepperChange = { readonly ok: true } | {
  readonly ok: false;
  readonly refusal: PepperRefusal;
};

/** The peppers of a store, in force and as stored. */
export class PepperBook {
  readonly peppers: Peppers;
  readonly #deps: PepperDeps;
  /** True when the current one is given at every start, which would restore it. */
  readonly #isGiven: boolean;
  #known: readonly KnownPepper[];
  #changing: Promise<unknown> = Promise.resolve();

  private constructor(
    deps: PepperDeps,
    book: { known: readonly KnownPepper[]; peppers: Peppers; isGiven: boolean },
  ) {
    this.#deps = deps;
    this.#known = book.known;
    this.#isGiven = book.isGiven;
    this.peppers = book.peppers;
  }

  /**
   * Opens the peppers of a store: the given one, which is never stored, or one that the first start
   * created and stored; and the previous one while keys still use it. Throws a {@linkcode
   * PepperError} if the pepper of any key is missing.
   */
  static async open(deps: PepperDeps, startPeppers: GivenPeppers = {}): Promise<PepperBook> {
    const stored = await readKnown(deps.settings);
    const [first] = stored;
    const known = first === undefined
      ? [await firstPepper(deps, startPeppers.current)]
      : await chosen(deps, [first, ...stored.slice(1)], startPeppers);
    const secrets = known.map((pepper) => secretOf(pepper, startPeppers));
    const [current, other] = known;
    if (current === undefined) throw new PepperError("Cannot read keys without a pepper");
    let previous: Pepper | undefined;
    if (other !== undefined) {
      if (secrets[1] === undefined) await requireUnused(deps, other);
      else previous = { version: other.version, secret: secrets[1] };
    }
    const inUse = previous === undefined ? [current] : known;
    if (JSON.stringify(inUse) !== JSON.stringify(stored)) await writeKnown(deps.settings, inUse);
    const secret = secrets[0] ?? "";
    const peppers = new Peppers({ version: current.version, secret }, previous);
    return new PepperBook(deps, {
      known: inUse,
      peppers,
      isGiven: startPeppers.current !== undefined,
    });
  }

  /** Returns the use of each pepper, the current one first. */
  async uses(): Promise<readonly PepperUse[]> {
    const nowMs = this.#deps.clock.nowMs();
    const users = new Map(this.#known.map(({ version }) => [version, new KeysInNeed()]));
    for await (const { record, digest } of this.#deps.keys.all()) {
      if (mayServe(record, nowMs)) users.get(versionOf(digest))?.add(record.id);
    }
    return await Promise.all(
      this.#known.map((pepper) =>
        useOf(this.#deps, pepper, users.get(pepper.version) ?? new KeysInNeed())
      ),
    );
  }

  /**
   * Returns how many keys need the previous pepper, counted up to {@linkcode KEY_IDS_MAX};
   * `undefined` without one.
   */
  async keysOfPrevious(): Promise<number | undefined> {
    const { version } = this.#known[1] ?? {};
    if (version === undefined) return undefined;
    let count = 0;
    for await (const _id of usersOf(this.#deps, version)) if (++count === KEY_IDS_MAX) break;
    return count;
  }

  /**
   * Creates a new pepper, stores it and puts it in force; keys move to it when they are used.
   * Refused if the current one is given at every start, or if the previous one is still in use.
   */
  rotate(): Promise<PepperChange> {
    return this.#next(async () => {
      const [current, previous] = this.#known;
      if (current === undefined || this.#isGiven) {
        return { ok: false, refusal: { code: "pepper_given" } };
      }
      const refusal = previous && await this.#whyInUse(previous);
      if (refusal !== undefined) return { ok: false, refusal };
      const version = Math.max(...this.#known.map((pepper) => pepper.version)) + 1;
      const secret = newSecret();
      await this.#write([{ version, secret, check: checkOf(secret) }, current]);
      this.peppers.change({ version, secret }, this.peppers.current);
      return { ok: true };
    });
  }

  /** Deletes the previous pepper. Refused while it is in use. */
  drop(): Promise<PepperChange> {
    return this.#next(async () => {
      const [current, previous] = this.#known;
      if (current === undefined || previous === undefined) {
        return { ok: false, refusal: { code: "no_previous" } };
      }
      const refusal = await this.#whyInUse(previous);
      if (refusal !== undefined) return { ok: false, refusal };
      await this.#write([current]);
      this.peppers.change(this.peppers.current);
      return { ok: true };
    });
  }

  async #whyInUse(pepper: KnownPepper): Promise<PepperRefusal | undefined> {
    const use = await usesOf(this.#deps, pepper);
    const unused = use.keys === 0 && !use.adminToken;
    return unused ? undefined : { code: "in_use", use };
  }

  async #write(known: readonly KnownPepper[]): Promise<void> {
    await writeKnown(this.#deps.settings, known);
    this.#known = known;
  }

  /** Runs changes one after the other. */
  #next(change: () => Promise<PepperChange>): Promise<PepperChange> {
    const result = this.#changing.then(change);
    this.#changing = result.catch(() => {});
    return result;
  }
}

/** Returns the known peppers in the order for this start, a new one included. */
async function chosen(
  deps: PepperDeps,
  known: readonly [KnownPepper, ...KnownPepper[]],
  startPeppers: GivenPeppers,
): Promise<readonly KnownPepper[]> {
  const [newest] = known;
  const current = startPeppers.current === undefined
    ? newest.secret === undefined ? undefined : newest
    : known.find((pepper) => fits(pepper, startPeppers.current));
  if (current !== undefined) return [current, ...known.filter((pepper) => pepper !== current)];

  // A rotation begins: it must name the pepper that it replaces.
  const isNamed = startPeppers.previous === STORED_PEPPER
    ? newest.secret !== undefined
    : fits(newest, startPeppers.previous);
  if (!isNamed) throw new PepperError(startPeppers.current === undefined ? ABSENT : WRONG);
  for (const pepper of known.slice(1)) await requireUnused(deps, pepper);
  const version = Math.max(...known.map((pepper) => pepper.version)) + 1;
  const pepper = startPeppers.current === undefined
    ? keptPepper(version)
    : { version, check: checkOf(startPeppers.current) };
  return [pepper, newest];
}

const ABSENT = "Cannot read keys without SERVICE_KEY_PEPPER: this store's keys were made with one";
const LOST = "Cannot read keys: this store has keys, but no record of their pepper";
const WRONG = "Cannot use this SERVICE_KEY_PEPPER: this store's keys were made with another; to " +
  "change it, give the other one as SERVICE_KEY_PEPPER_PREVIOUS " +
  `("${STORED_PEPPER}" where the store keeps it)`;

/** Throws if a pepper that was not given is still in use. */
async function requireUnused(deps: PepperDeps, pepper: KnownPepper): Promise<void> {
  const { keys, adminToken } = await usesOf(deps, pepper);
  if (keys === 0 && !adminToken) return;
  throw new PepperError(
    `Cannot read ${usersText({ keys, adminToken })}, which use another pepper: give it ` +
      "as SERVICE_KEY_PEPPER_PREVIOUS; `svc pepper show` says when it is needed no more",
  );
}

/** Describes the use of a pepper. */
export function usersText(
  { keys: count, adminToken }: Pick<PepperUse, "keys" | "adminToken">,
): string {
  const keys = count === 1 ? "1 key" : `${count} keys`;
  if (!adminToken) return keys;
  return count === 0 ? "the admin token" : `${keys} and the admin token`;
}

/** The keys that need a pepper. */
class KeysInNeed {
  count = 0;
  readonly ids: string[] = [];

  add(id: string): void {
    if (++this.count <= KEY_IDS_MAX) this.ids.push(id);
  }
}

async function usesOf(deps: PepperDeps, pepper: KnownPepper): Promise<PepperUse> {
  const users = new KeysInNeed();
  for await (const id of usersOf(deps, pepper.version)) users.add(id);
  return await useOf(deps, pepper, users);
}

async function useOf(
  { settings }: PepperDeps,
  { version, secret }: KnownPepper,
  { count: keys, ids: keyIds }: KeysInNeed,
): Promise<PepperUse> {
  const digests = (await settings.get(ADMIN_DIGESTS))?.split(" ") ?? [];
  return {
    ...{ version, keys, keyIds },
    kept: secret !== undefined,
    adminToken: digests.some((digest) => usesPepper(digest, version)),
  };
}

/** Yields the ids of the keys that need a version of the pepper. */
async function* usersOf(deps: PepperDeps, version: number): AsyncGenerator<string> {
  const nowMs = deps.clock.nowMs();
  for await (const record of deps.keys.underPepper(version)) {
    if (mayServe(record, nowMs)) yield record.id;
  }
}

function secretOf(pepper: KnownPepper, startPeppers: GivenPeppers): string | undefined {
  return pepper.secret ??
    [startPeppers.current, startPeppers.previous].find((secret) => fits(pepper, secret));
}

function fits(pepper: KnownPepper, secret: string | undefined): boolean {
  return secret !== undefined && checkOf(secret) === pepper.check;
}

function checkOf(secret: string): string {
  return createHmac("sha256", secret).update(CHECK).digest("hex");
}

async function firstPepper(deps: PepperDeps, secret: string | undefined): Promise<KnownPepper> {
  // A new pepper would silently refuse every key.
  for await (const _key of deps.keys.all()) throw new PepperError(LOST);
  return secret === undefined ? keptPepper(1) : { version: 1, check: checkOf(secret) };
}

function keptPepper(version: number): KnownPepper {
  const secret = newSecret();
  return { version, check: checkOf(secret), secret };
}

function newSecret(): string {
  return randomBytes(32).toString("hex");
}

/** True when the keys of a store need a pepper that is given at the start. */
export async function needsPepper(settings: Pick<SettingsStore, "get">): Promise<boolean> {
  const row = await settings.get(PEPPERS);
  if (row === undefined) return false;
  const [newest] = JSON.parse(row) as readonly KnownPepper[];
  return newest !== undefined && newest.secret === undefined;
}

async function readKnown(settings: SettingsStore): Promise<readonly KnownPepper[]> {
  const row = await settings.get(PEPPERS);
  if (row !== undefined) return JSON.parse(row) as readonly KnownPepper[];
  const check = await settings.get(CHECK);
  if (check === undefined) return [];
  const secret = await settings.get(FIRST_PEPPER);
  const known = [{ version: 1, check, ...(secret === undefined ? {} : { secret }) }];
  await writeKnown(settings, known);
  return known;
}

async function writeKnown(settings: SettingsStore, known: readonly KnownPepper[]): Promise<void> {
  await settings.set(PEPPERS, JSON.stringify(known));
  // The secret is stored once, so that deleting that row removes it.
  if (await settings.get(FIRST_PEPPER)) await settings.set(FIRST_PEPPER, "");
}
