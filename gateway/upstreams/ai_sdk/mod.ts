/**
 * Upstreams whose wire format is not OpenAI's, called through the provider packages of the Vercel AI
 * SDK.
 *
 * @module
 */

export { type AiSdkDeps, AiSdkUpstream } from "./upstream.ts";
