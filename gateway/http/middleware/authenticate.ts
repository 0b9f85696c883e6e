import type { Context, MiddlewareHandler } from "@hono/hono";
import { ServiceFault } from "../../domain/fault.ts";
import { ipInRanges } from "../../domain/policy/ip_range.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import type { BadKeys } from "../bad_keys.ts";
import type { PublicEnv } from "../env.ts";

/** Called for a request with a valid key from an address that its policy does not allow. */
export type OnDenied = (c: Context<PublicEnv>, fault: ServiceFault) => void;

/** Finds the record of a presented key; `undefined` for every key that may not be used. */
export type FindKey = (presented: string) => Promise<KeyRecord | undefined>;

/**
 * Returns the presented key. `X-API-Key` comes first, also where both headers are present
 * (specification, 5.3).
 */
export function presentedKey(headers: Headers): string | undefined {
  const direct = headers.get("x-api-key");
  if (direct !== null) return direct.trim();
  return /^\s*bearer\s+(\S+)\s*$/i.exec(headers.get("authorization") ?? "")?.[1];
}

/** Returns middleware that refuses requests without a valid key from an allowed address. */
export function authenticate(
  findKey: FindKey,
  options: { badKeys: BadKeys; onDenied: OnDenied },
): MiddlewareHandler<PublicEnv> {
  return async function authenticateMiddleware(c, next) {
    const presented = presentedKey(c.req.raw.headers);
    if (presented === undefined || presented === "") throw new ServiceFault("missing_api_key");
    const { remoteAddress } = c.env;
    const key = await options.badKeys.find(
      { secret: presented, remoteAddress },
      () => findKey(presented),
    );
    if (key === undefined) throw new ServiceFault("invalid_api_key");
    c.set("key", key);
    const { ipRanges } = key.policy;
    if (ipRanges !== undefined && !ipInRanges(remoteAddress, ipRanges)) {
      const fault = new ServiceFault("policy_denied", {
        message: "The key's policy does not allow requests from this address",
      });
      options.onDenied(c, fault);
      throw fault;
    }
    return await next();
  };
}
