/**
 * The type guard of JSON objects, from `@svc/tools`.
 *
 * @module
 */

export { isJsonObject, type JsonObject } from "@svc/tools/json";
