import { timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "@hono/hono";
import { ServiceFault } from "../domain/fault.ts";
import type { AdminDeps, AdminEnv } from "./deps.ts";

const LONGEST_TOKEN = 256;

/** Lets a request pass that carries `Authorization: Bearer <admin token>`. */
export function authorize(
  deps: Pick<AdminDeps, "adminTokenDigests" | "keyRing">,
): MiddlewareHandler<AdminEnv> {
  const accepted = deps.adminTokenDigests.map((digest) => new TextEncoder().encode(digest));
  return async function authorizeRequest(context, next): Promise<void> {
    const header = context.req.header("authorization");
    if (header === undefined) throw unauthorized("missing_api_key", "Send an admin token");
    const token = /^Bearer +(\S+)$/i.exec(header)?.[1] ?? "";
    const digest = new TextEncoder().encode(deps.keyRing.digest(token.slice(0, LONGEST_TOKEN + 1)));
    // Every digest is compared, so that time does not tell which of them is near.
    const matches = accepted.filter((candidate) =>
      candidate.length === digest.length && timingSafeEqual(candidate, digest)
    );
    if (matches.length === 0) {
      throw unauthorized("invalid_api_key", "The admin token is not valid; send it");
    }
    await next();
  };
}

function unauthorized(code: "missing_api_key" | "invalid_api_key", start: string): ServiceFault {
  return new ServiceFault(code, {
    message: `${start} as "Authorization: Bearer <token>"`,
    headers: { "www-authenticate": 'Bearer realm="admin"' },
  });
}
