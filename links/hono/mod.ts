/** Stands in for `@hono/hono` where JSR cannot be reached: the same code from npm. */
export { Hono } from "hono";
export type { Context, ErrorHandler, Handler, MiddlewareHandler, Next } from "hono";
