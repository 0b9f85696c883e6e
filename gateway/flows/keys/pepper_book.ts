/**
 * The peppers that the digests of a store are made with, and their rotation.
 *
 * @module
 */

import { createHmac, randomBytes } from "node:crypto";
import { mayServe } from "../../domain/policy/key.ts";
import { STORED_PEPPER } from "../../domain/policy/key_format.ts";
import { type Pepper, Peppers, versionOf } from "./peppers.ts";
import {
  isUnused,
  KEY_IDS_MAX,
  KeysInNeed,
  type KnownPepper,
  type PepperDeps,
  type PepperUse,
  useOf,
  usersText,
  usesOf,
} from "./pepper_use.ts";
import type { EntryOf, Noted } from "../../domain/operators/trail.ts";
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

/** The known peppers, and the text of the setting that they were read from. */
interface StoredPeppers {
  readonly row: string | undefined;
  readonly known: readonly KnownPepper[];
}

/** Peppers given to this start. */
export interface GivenPeppers {
  readonly current?: string | undefined;
  /** The pepper that `current` replaces; {@linkcode STORED_PEPPER} for the stored one. */
  readonly previous?: string | undefined;
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

/** Versions of the peppers, the current one first: all that the audit log has of them. */
export type PepperVersions = readonly number[];

/** The peppers of a store, in force and as stored. */
export class PepperBook {
  readonly peppers: Peppers;
  readonly #deps: PepperDeps;
  readonly #given: GivenPeppers;
  #stored: StoredPeppers;
  #changing: Promise<unknown> = Promise.resolve();
  #refreshing: Promise<void> | undefined;

  private constructor(
    deps: PepperDeps,
    book: { stored: StoredPeppers; peppers: Peppers; given: GivenPeppers },
  ) {
    this.#deps = deps;
    this.#stored = book.stored;
    this.#given = book.given;
    this.peppers = book.peppers;
  }

  get #known(): readonly KnownPepper[] {
    return this.#stored.known;
  }

  /**
   * Opens the peppers of a store: the given one, which is never stored, or one that the first start
   * created and stored; and the previous one while keys still use it. Throws a {@linkcode
   * PepperError} if the pepper of any key is missing.
   */
  static async open(deps: PepperDeps, startPeppers: GivenPeppers = {}): Promise<PepperBook> {
    const { row, known: stored } = await readKnown(deps.settings);
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
    const isNew = JSON.stringify(inUse) !== JSON.stringify(stored);
    const written = isNew ? await writeKnown(deps.settings, { row, known: inUse }) : row;
    // Another gateway has changed them meanwhile.
    if (isNew && written === undefined) return await PepperBook.open(deps, startPeppers);
    const secret = secrets[0] ?? "";
    const peppers = new Peppers({ version: current.version, secret }, previous);
    const book = { stored: { row: written, known: inUse }, peppers, given: startPeppers };
    return new PepperBook(deps, book);
  }

  /**
   * Reads the peppers again, which another gateway may have changed, and puts them in force. One that
   * was given to the other one only is missing here: then the former ones stay in force.
   */
  refresh(): Promise<void> {
    return this.#refreshing ??= this.#next(async () => {
      // Who comes from now on needs a later answer.
      this.#refreshing = undefined;
      await this.#read();
    });
  }

  /** Returns the use of each pepper, the current one first. */
  async uses(): Promise<readonly PepperUse[]> {
    await this.refresh();
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
   * Returns how many keys need the previous pepper, of the first {@linkcode KEY_IDS_MAX} that have
   * it; `undefined` without one, and if these are ended keys and there are more.
   */
  async keysOfPrevious(): Promise<number | undefined> {
    const { version } = this.#known[1] ?? {};
    if (version === undefined) return undefined;
    const nowMs = this.#deps.clock.nowMs();
    let [read, count] = [0, 0];
    for await (const record of this.#deps.keys.underPepper(version)) {
      // Ended keys keep it for ever: without a bound each list would read all of them.
      if (++read > KEY_IDS_MAX) return count === 0 ? undefined : count;
      if (mayServe(record, nowMs)) count++;
    }
    return count;
  }

  /**
   * Creates a new pepper, stores it and puts it in force; keys move to it when they are used.
   * Refused if the current one is given at every start, or if the previous one is still in use.
   */
  rotate({ entry }: Noted<PepperVersions> = {}): Promise<PepperChange> {
    return this.#change(async () => {
      const [current, previous] = this.#known;
      // One that is given would be restored by the next start.
      if (current === undefined || this.#given.current !== undefined) {
        return { ok: false, refusal: { code: "pepper_given" } };
      }
      const refusal = previous && await this.#whyInUse(previous);
      if (refusal !== undefined) return { ok: false, refusal };
      const version = Math.max(...this.#known.map((pepper) => pepper.version)) + 1;
      const secret = newSecret();
      return await this.#write([{ version, secret, check: checkOf(secret) }, current], entry);
    });
  }

  /** Deletes the previous pepper. Refused while it is in use. */
  drop({ entry }: Noted<PepperVersions> = {}): Promise<PepperChange> {
    return this.#change(async () => {
      const [current, previous] = this.#known;
      if (current === undefined || previous === undefined) {
        return { ok: false, refusal: { code: "no_previous" } };
      }
      const refusal = await this.#whyInUse(previous);
      if (refusal !== undefined) return { ok: false, refusal };
      return await this.#write([current], entry);
    });
  }

  async #whyInUse(pepper: KnownPepper): Promise<PepperRefusal | undefined> {
    const use = await usesOf(this.#deps, pepper);
    return isUnused(use) ? undefined : { code: "in_use", use };
  }

  /** Stores peppers and puts them in force; `undefined` if another gateway came first. */
  async #write(
    known: readonly KnownPepper[],
    entry: EntryOf<PepperVersions> | undefined,
  ): Promise<PepperChange | undefined> {
    const states = { before: versionsOf(this.#known), after: versionsOf(known) };
    const row = await writeKnown(this.#deps.settings, {
      ...{ row: this.#stored.row, known },
      entry: entry && (() => entry(states)),
    });
    if (row === undefined) return undefined;
    this.#take({ row, known });
    return { ok: true };
  }

  async #read(): Promise<void> {
    const stored = await readKnown(this.#deps.settings);
    if (stored.row !== this.#stored.row) this.#take(stored);
  }

  #take(stored: StoredPeppers): void {
    this.#stored = stored;
    const [current, previous] = stored.known.map((pepper): Pepper | undefined => {
      const secret = secretOf(pepper, this.#given);
      return secret === undefined ? undefined : { version: pepper.version, secret };
    });
    this.peppers.isIncomplete = current === undefined;
    if (current !== undefined) this.peppers.change(current, previous);
  }

  /** Decides and makes a change, again if another gateway changed the peppers meanwhile. */
  #change(change: () => Promise<PepperChange | undefined>): Promise<PepperChange> {
    return this.#next(async () => {
      for (;;) {
        await this.#read();
        const outcome = await change();
        if (outcome !== undefined) return outcome;
      }
    });
  }

  /** Runs work one after the other. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#changing.then(work);
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
  const use = await usesOf(deps, pepper);
  if (isUnused(use)) return;
  throw new PepperError(
    `Cannot read ${usersText(use)}, which use another pepper: give it ` +
      "as SERVICE_KEY_PEPPER_PREVIOUS; `svc pepper show` says when it is needed no more",
  );
}

function versionsOf(known: readonly KnownPepper[]): PepperVersions {
  return known.map(({ version }) => version);
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

async function readKnown(settings: SettingsStore): Promise<StoredPeppers> {
  const row = await settings.get(PEPPERS);
  if (row !== undefined) return { row, known: JSON.parse(row) as readonly KnownPepper[] };
  const check = await settings.get(CHECK);
  if (check === undefined) return { row, known: [] };
  const secret = await settings.get(FIRST_PEPPER);
  const known = [{ version: 1, check, ...(secret === undefined ? {} : { secret }) }];
  return { row: await writeKnown(settings, { row, known }), known };
}

/** Replaces the stored peppers; `undefined`, and nothing has changed, if `row` is not in force. */
async function writeKnown(
  settings: SettingsStore,
  { row, known, entry }: StoredPeppers & Noted<string>,
): Promise<string | undefined> {
  const to = JSON.stringify(known);
  if (!await settings.replace(PEPPERS, { from: row, to, entry })) return undefined;
  // The secret is stored once, so that deleting that row removes it.
  if (await settings.get(FIRST_PEPPER)) await settings.set(FIRST_PEPPER, "");
  return to;
}
