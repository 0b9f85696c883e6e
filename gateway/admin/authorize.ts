import type { MiddlewareHandler } from "@hono/hono";
import { ServiceFault } from "../domain/fault.ts";
import { limitsInForce } from "../domain/limits/service_limits.ts";
import { BadKeys } from "../http/bad_keys.ts";
import { type Actor, EMERGENCY } from "../domain/operators/operator.ts";
import type { AdminTokens } from "../flows/keys/admin_tokens.ts";
import type { Operators } from "../flows/operators/operators.ts";
import type { AdminDeps, AdminEnv, AdmitToken } from "./deps.ts";

/** Returns the token of `Authorization: Bearer <admin token>`, or "" for any other header. */
export function presentedToken(authorization: string): string {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
}

/** The holder of a token that opens another page than the API. */
const METRICS_READER: Actor = { kind: "operator", id: "metrics", name: "Metrics", rights: [] };

/** Returns the check of admin tokens; an address that sends many wrong ones has to wait. */
export function tokenAdmission(
  deps: Pick<AdminDeps, "catalogs" | "clock" | "logger" | "refreshSecrets"> & {
    readonly adminTokens: Pick<AdminTokens, "admits">;
    readonly operators: Pick<Operators, "authenticate">;
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
    const known = () => {
      if (deps.adminTokens.admits(secret)) return { actor: EMERGENCY };
      return opens(secret) ? { actor: METRICS_READER } : deps.operators.authenticate(secret);
    };
    return await badTokens.find(presented, async () => {
      const admitted = await known();
      if (admitted !== undefined) return admitted;
      // Another instance may have changed a token or the pepper a moment ago.
      await deps.refreshSecrets?.();
      return await known();
    });
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
    const ask = () => admit({ secret, remoteAddress });
    const admitted = await ask();
    if (admitted === undefined) {
      throw unauthorized("invalid_api_key", "The admin token is not valid; send it");
    }
    context.set("actor", admitted.actor);
    context.set("actorNow", async () => (await ask())?.actor);
    await next();
  };
}

function unauthorized(code: "missing_api_key" | "invalid_api_key", start: string): ServiceFault {
  return new ServiceFault(code, {
    message: `${start} as "Authorization: Bearer <token>"`,
    headers: { "www-authenticate": 'Bearer realm="admin"' },
  });
}
