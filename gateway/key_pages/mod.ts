/**
 * The pages of key holders at `/me` of the public listener: the key, its usage and its requests, for a
 * person who has signed in by a link. They only read, and call no model. They are made of the
 * console's components, over the functions of `key_holder/` that also answer `/api/v1/key`.
 *
 * @module
 */

export { createKeyPages } from "./app.tsx";
