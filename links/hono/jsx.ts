/** Stands in for `@hono/hono/jsx` where JSR cannot be reached: the same code from npm. */
export type { Child, FC, JSXNode, PropsWithChildren } from "hono/jsx";
