/**
 * Settings of the sign-in at an identity provider.
 *
 * @module
 */

import { type GroupRole, parseGroupRoles } from "../domain/operators/group_roles.ts";

/** Settings of the sign-in by OpenID Connect. */
export interface SignOnSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly scopes: string;
  readonly groupsClaim: string;
  readonly groupRoles: readonly GroupRole[];
}

/** Flags of these settings, with their variables. */
export const SIGN_ON_FLAGS = {
  "oidc-issuer": "SERVICE_OIDC_ISSUER",
  "oidc-client-id": "SERVICE_OIDC_CLIENT_ID",
  "oidc-client-secret": "SERVICE_OIDC_CLIENT_SECRET",
  "oidc-roles": "SERVICE_OIDC_ROLES",
  "oidc-groups-claim": "SERVICE_OIDC_GROUPS_CLAIM",
  "oidc-scopes": "SERVICE_OIDC_SCOPES",
} as const;

/** A flag of these settings. */
export type SignOnFlag = keyof typeof SIGN_ON_FLAGS;

/**
 * Reads the settings; `undefined` without an issuer. `refuse` receives a sentence for each problem.
 */
export function signOnSettings(
  text: (flag: SignOnFlag) => string | undefined,
  refuse: (flag: SignOnFlag, sentence: string) => void,
): SignOnSettings | undefined {
  const issuer = text("oidc-issuer");
  if (issuer === undefined) {
    for (const flag of ["oidc-client-id", "oidc-client-secret", "oidc-roles"] as const) {
      if (text(flag) !== undefined) refuse(flag, "needs SERVICE_OIDC_ISSUER");
    }
    return undefined;
  }
  if (!isIssuer(issuer)) refuse("oidc-issuer", `takes an https URL, not "${issuer}"`);
  const clientId = text("oidc-client-id");
  if (clientId === undefined) refuse("oidc-client-id", "is needed with SERVICE_OIDC_ISSUER");
  const groupRoles = parseGroupRoles(text("oidc-roles") ?? "");
  if (typeof groupRoles === "string") refuse("oidc-roles", groupRoles);
  else if (groupRoles.length === 0) refuse("oidc-roles", 'takes pairs such as "staff=viewer"');
  const clientSecret = text("oidc-client-secret");
  return {
    ...{ issuer, clientId: clientId ?? "" },
    ...clientSecret === undefined ? {} : { clientSecret },
    scopes: text("oidc-scopes") ?? "openid profile",
    groupsClaim: text("oidc-groups-claim") ?? "groups",
    groupRoles: typeof groupRoles === "string" ? [] : groupRoles,
  };
}

/** True for an https URL, and for http on this machine. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
  return protocol === "https:" || (protocol === "http:" && isHere);
}
