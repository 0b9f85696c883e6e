/** Kinds of a sum over a name that callers choose. */
export const NAME_KINDS = ["named", "none", "other"] as const;

/** A kind of a sum. */
export type NameKind = (typeof NAME_KINDS)[number];

/** Maximum number of distinct names that one UTC day adds to the sums. */
export const NAMES_A_DAY = 1_000;
/** Maximum number of distinct names in all sums of one answer. */
export const NAMES_MAX = 10_000;

/** A group of sums. */
export interface NamedGroup {
  readonly name: string;
  readonly kind: NameKind;
}

const NONE: NamedGroup = { name: "", kind: "none" };
const OTHER: NamedGroup = { name: "other", kind: "other" };

const DAY_MS = 86_400_000;

/**
 * Bounds the names of groups: of each day the first names count under their own, all further ones
 * together. A name that has a group keeps it on every day.
 */
export class BoundedNames {
  readonly #groups = new Map<string, NamedGroup>();
  readonly #most: { readonly aDay: number; readonly inAll: number };
  #day = NaN;
  #newToday = 0;

  constructor(most: { aDay: number; inAll: number } = { aDay: NAMES_A_DAY, inAll: NAMES_MAX }) {
    this.#most = most;
  }

  /** Returns the group of a name at a time; `undefined` is no name. */
  groupOf(name: string | undefined, atMs: number): NamedGroup {
    if (name === undefined) return NONE;
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const day = Math.floor(atMs / DAY_MS);
    // A clock that went back must not begin a day anew.
    if (!(day <= this.#day)) [this.#day, this.#newToday] = [day, 0];
    if (this.#newToday >= this.#most.aDay || this.#groups.size >= this.#most.inAll) return OTHER;
    this.#newToday++;
    const group: NamedGroup = { name, kind: "named" };
    this.#groups.set(name, group);
    return group;
  }
}
