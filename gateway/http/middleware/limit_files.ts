import type { MiddlewareHandler } from "@hono/hono";
import type { FileRate } from "../../flows/files/file_rate.ts";
import type { PublicEnv } from "../env.ts";

/**
 * Returns middleware that counts requests to files and vector stores, before their bodies are read,
 * and says with each answer how many are left. It comes after the one that finds the key.
 */
export function limitFiles(
  rate: Pick<FileRate, "admit" | "headers">,
): MiddlewareHandler<PublicEnv> {
  return async function limitFilesMiddleware(c, next) {
    const key = c.get("key");
    await rate.admit(key);
    await next();
    for (const [name, value] of Object.entries(rate.headers(key))) c.res.headers.set(name, value);
  };
}
