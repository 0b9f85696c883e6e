/**
 * Upstreams that speak OpenAI's own wire format: bodies pass through as text.
 *
 * @module
 */

export { type OpenAICompatibleDeps, OpenAICompatibleUpstream } from "./upstream.ts";
