/**
 * A set whose members come and go with each request. The platform's `Set` and `Map` replace their
 * table every few changes, and the former table refers to the next one: once a table was moved to
 * V8's old generation, all later tables and what was in them stay in memory until a full collection.
 *
 * @module
 */

interface Place<T> {
  readonly member: T;
  /** Index in the list; -1 once the member has left. */
  at: number;
}

/** Members, in no order. */
export class Roster<T> implements Iterable<T> {
  readonly #places: Place<T>[] = [];

  /** Number of members. */
  get size(): number {
    return this.#places.length;
  }

  /** Adds a member. The returned function removes it: true the first time. */
  join(member: T): () => boolean {
    const place = { member, at: this.#places.length };
    this.#places.push(place);
    return () => this.#leave(place);
  }

  /** Yields the members of this moment. */
  [Symbol.iterator](): Iterator<T> {
    return this.#places.map(({ member }) => member).values();
  }

  #leave(place: Place<T>): boolean {
    const { at } = place;
    if (at < 0) return false;
    place.at = -1;
    const last = this.#places.pop();
    if (last !== undefined && last !== place) {
      last.at = at;
      this.#places[at] = last;
    }
    return true;
  }
}
