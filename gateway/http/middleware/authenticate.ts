import type { MiddlewareHandler } from "@hono/hono";
import { ServiceFault } from "../../domain/fault.ts";
import { ipInRanges } from "../../domain/policy/ip_range.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import type { BadKeys } from "../bad_keys.ts";
import type { PublicEnv } from "../env.ts";
import type { HeaderLookUp } from "../request_headers.ts";

/** A request whose key is not known yet. */
export interface UnknownCaller {
  readonly request: Request;
  readonly headers: HeaderLookUp;
  readonly requestId: string;
  /** Address of the caller without its port; empty where it is unknown. */
  readonly remoteAddress: string;
}

/** Called for a request with a valid key from an address that its policy does not allow. */
export type OnDenied = (
  caller: UnknownCaller & { readonly key: KeyRecord },
  fault: ServiceFault,
) => void;

/**
 * Finds the record of a presented key; `undefined` for every key that may not be used. A promise
 * where the key is not in memory.
 */
export type FindKey = (
  presented: string,
) => KeyRecord | undefined | Promise<KeyRecord | undefined>;

/** Returns the key of a request. Throws, or rejects with, a {@linkcode ServiceFault} without one. */
export type Identify = (caller: UnknownCaller) => KeyRecord | Promise<KeyRecord>;

const BEARER = /^\s*bearer\s+(\S+)\s*$/i;

/**
 * Returns the presented key. `X-API-Key` comes first, also where both headers are present
 * (specification, 5.3).
 */
export function presentedKey(headers: HeaderLookUp): string | undefined {
  const direct = headers.get("x-api-key");
  if (direct !== null) return direct.trim();
  return BEARER.exec(headers.get("authorization") ?? "")?.[1];
}

/** Returns the function that identifies callers by a valid key and an allowed address. */
export function identifyBy(
  findKey: FindKey,
  options: { badKeys: BadKeys; onDenied: OnDenied },
): Identify {
  const allowed = (key: KeyRecord | undefined, caller: UnknownCaller): KeyRecord => {
    if (key === undefined) throw new ServiceFault("invalid_api_key");
    const { ipRanges } = key.policy;
    if (ipRanges === undefined || ipInRanges(caller.remoteAddress, ipRanges)) return key;
    const fault = new ServiceFault("policy_denied", {
      message: "The key's policy does not allow requests from this address",
    });
    options.onDenied({ ...caller, key }, fault);
    throw fault;
  };
  return (caller) => {
    const secret = presentedKey(caller.headers);
    if (secret === undefined || secret === "") throw new ServiceFault("missing_api_key");
    const { remoteAddress } = caller;
    const record = options.badKeys.find({ secret, remoteAddress }, findKey);
    return record instanceof Promise
      ? record.then((key) => allowed(key, caller))
      : allowed(record, caller);
  };
}

/** Returns middleware that refuses requests without a valid key from an allowed address. */
export function authenticate(identify: Identify): MiddlewareHandler<PublicEnv> {
  return async function authenticateMiddleware(c, next) {
    const { remoteAddress } = c.env;
    const { raw: request } = c.req;
    const requestId = c.get("requestId");
    c.set("key", await identify({ request, headers: request.headers, requestId, remoteAddress }));
    return await next();
  };
}
