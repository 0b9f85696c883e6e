/**
 * The gateway as a library: tests, and programs with their own process, start it through this
 * module. The binary is `main.ts`.
 *
 * @module
 */

export { type ParsedSettings, parseServeSettings, type ServeSettings } from "./config/settings.ts";
export { type RunningService, type ServiceDeps, startService } from "./service/start.ts";
