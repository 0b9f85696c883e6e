/**
 * Stands in for `@std/testing/types` where JSR cannot be reached: over the package that it came
 * from.
 *
 * @module
 */
export { assert as assertType } from "conditional-type-checks";
export type {
  AssertFalse,
  AssertTrue,
  Has,
  IsExact,
  IsNullable,
  NotHas,
} from "conditional-type-checks";
