import type { MiddlewareHandler } from "@hono/hono";
import { ServiceFault } from "../domain/fault.ts";
import type { AdminDeps, AdminEnv } from "./deps.ts";

/** The token of `Authorization: Bearer <admin token>`; empty where the header is no such thing. */
export function presentedToken(authorization: string): string {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
}

/** Lets a request pass that carries `Authorization: Bearer <admin token>`. */
export function authorize(deps: Pick<AdminDeps, "adminTokens">): MiddlewareHandler<AdminEnv> {
  return async function authorizeRequest(context, next): Promise<void> {
    const header = context.req.header("authorization");
    if (header === undefined) throw unauthorized("missing_api_key", "Send an admin token");
    if (!deps.adminTokens.admits(presentedToken(header))) {
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
