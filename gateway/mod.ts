/**
 * The gateway as a part: what a test, or a program that brings its own process, starts it by. The
 * binary is `main.ts`.
 *
 * @module
 */

export { type ParsedSettings, parseServeSettings, type ServeSettings } from "./config/settings.ts";
export { type RunningService, type ServiceDeps, startService } from "./service/start.ts";
