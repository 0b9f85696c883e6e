/**
 * Upstreams with OpenAI's wire format: bodies pass through as text.
 *
 * @module
 */

export { type OpenAICompatibleDeps, OpenAICompatibleUpstream } from "./upstream.ts";
