/** Stands in for `@std/testing/types` where JSR cannot be reached: the package that one came from. */
export { assert as assertType } from "conditional-type-checks";
export type { AssertFalse, AssertTrue, Has, IsExact, IsNullable, NotHas } from "conditional-type-checks";
