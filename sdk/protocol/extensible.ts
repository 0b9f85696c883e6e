/**
 * The one rule of every open wire object.
 *
 * @module
 */

/**
 * A wire object that may carry fields that nobody here knows.
 *
 * Providers and clients add fields before this project hears of them. They are kept as they came, in
 * both directions, so that a new feature works before a new release does.
 */
export interface Extensible {
  /** A field that is not modelled here; it passes through unread. */
  [field: string]: unknown;
}
