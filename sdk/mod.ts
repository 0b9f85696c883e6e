/**
 * The client library of the service.
 *
 * @module
 */

export * from "./catalog/catalog.ts";
export * from "./chat/completions.ts";
export { ServiceClient, type ServiceClientOptions } from "./client.ts";
export * from "./errors.ts";
export * from "./protocol/mod.ts";
