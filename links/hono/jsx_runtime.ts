/** Stands in for `@hono/hono/jsx/jsx-runtime`, which the compiler imports into every `.tsx` file. */
export { Fragment, jsx, jsxs } from "hono/jsx/jsx-runtime";
export type { JSX } from "hono/jsx/jsx-runtime";
