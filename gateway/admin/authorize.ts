import type { MiddlewareHandler } from "@hono/hono";
import { ServiceFault } from "../domain/fault.ts";
import { limitsInForce } from "../domain/limits/service_limits.ts";
import { BadKeys } from "../http/bad_keys.ts";
import type { AdminTokens } from "../flows/keys/admin_tokens.ts";
import type { AdminDeps, AdminEnv, AdmitToken } from "./deps.ts";

/** Returns the token of `Authorization: Bearer <admin token>`, or "" for any other header. */
export function presentedToken(authorization: string): string {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
}

/** Returns the check of admin tokens; an address that sends many wrong ones has to wait. */
export function tokenAdmission(
  deps: Pick<AdminDeps, "catalogs" | "clock" | "logger"> & {
    readonly adminTokens: Pick<AdminTokens, "admits">;
  },
): AdmitToken {
  const badTokens = new BadKeys({
    keyClass: "admin",
    limit: () => limitsInForce(deps.catalogs.current()).badKeysPerMinute,
    clock: deps.clock,
    logger: deps.logger,
  });
  return async (presented, opens = () => false) => {
    const { secret } = presented;
    const lookUp = () => deps.adminTokens.admits(secret) || opens(secret) || undefined;
    return await badTokens.find(presented, lookUp) !== undefined;
  };
}

/** Returns middleware that refuses requests without a valid `Authorization: Bearer <admin token>`. */
export function authorize(admit: AdmitToken): MiddlewareHandler<AdminEnv> {
  return async function authorizeRequest(context, next): Promise<void> {
    const header = context.req.header("authorization");
    if (header === undefined) throw unauthorized("missing_api_key", "Send an admin token");
    const secret = presentedToken(header);
    // Tests call the application without a listener, and so without a connection.
    const remoteAddress = context.env?.remoteAddress;
    if (!await admit({ secret, remoteAddress })) {
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
