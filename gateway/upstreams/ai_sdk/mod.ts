/**
 * Upstreams that are spoken to in their provider's own wire format, through the provider packages of
 * the Vercel AI SDK.
 *
 * @module
 */

export { CANNOT_CARRY, type Feature, FEATURES, type Lack, type Lacks } from "./cannot_carry.ts";
export { type AiSdkDeps, AiSdkUpstream } from "./upstream.ts";
