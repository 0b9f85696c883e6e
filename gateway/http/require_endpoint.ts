import type { Endpoint } from "@svc/sdk/protocol";
import { ServiceFault } from "../domain/fault.ts";
import type { KeyRecord } from "../domain/policy/key.ts";

/** Throws a {@linkcode ServiceFault} when the key's policy does not allow an endpoint. */
export function requireEndpoint(key: KeyRecord, endpoint: Endpoint): void {
  const { endpoints } = key.policy;
  if (endpoints === undefined || endpoints.includes(endpoint)) return;
  throw new ServiceFault("policy_denied", {
    message: `The key's policy allows ${endpoints.join(", ") || "no endpoint"}, not ${endpoint}`,
  });
}
