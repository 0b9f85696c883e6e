/**
 * The rights of operators, and the one table of what each role may do.
 *
 * @module
 */

/** Rights of the operator's API. Each of its operations needs exactly one. */
export const RIGHTS = [
  "read",
  "keys",
  "wallets",
  "books",
  "playground",
  "vector_stores",
  "catalog",
  "routing",
  "notifications",
  "content",
  "audit",
  "operators",
  "secrets",
  "emergency",
] as const;

/** A right of the operator's API. */
export type Right = typeof RIGHTS[number];

/** Roles of operators, the one with the fewest rights first. */
export const ROLES = ["viewer", "support", "billing", "admin"] as const;

/** A role of an operator. */
export type Role = typeof ROLES[number];

/** Rights that no role includes: each is granted to an operator by name. */
export const GRANTS = ["content"] as const satisfies readonly Right[];

/** A right that is granted besides a role. */
export type Grant = typeof GRANTS[number];

/** Meaning of each right, for the documentation and for refusals. */
export const RIGHT_MEANINGS: Readonly<Record<Right, string>> = {
  read: "see wallets, keys, requests, usage, the catalog and routing, never texts",
  keys: "create, narrow, rotate, disable and revoke keys",
  wallets: "create, credit and correct wallets, refund requests and move keys",
  books: "verify and export the journal",
  playground: "make calls in the playground, which a wallet pays",
  vector_stores: "change and search vector stores",
  catalog: "change models, prices, tiers and upstreams",
  routing: "freeze and reset what routing has learned",
  notifications: "add, test and remove targets of notifications, and report backups",
  content: "read logged texts of requests, and switch their logging",
  audit: "read and export the audit log",
  operators: "manage other operators and end sessions",
  secrets: "rotate the pepper",
  emergency: "replace the admin token; only this token itself has the right",
};

/** The rights of each role. */
export const ROLE_RIGHTS: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ["read"],
  support: ["read", "keys", "playground", "vector_stores"],
  billing: ["read", "wallets", "books"],
  admin: [
    ...["read", "keys", "wallets", "books", "playground", "vector_stores", "catalog"] as const,
    ...["routing", "notifications", "audit", "operators", "secrets"] as const,
  ],
};

/** Returns the rights of a role and of grants besides it. */
export function rightsOf(role: Role, grants: readonly Grant[] = []): readonly Right[] {
  return [...new Set<Right>([...ROLE_RIGHTS[role], ...grants])];
}

/** Returns the roles that include a right. */
export function rolesWith(right: Right): readonly Role[] {
  return ROLES.filter((role) => ROLE_RIGHTS[role].includes(right));
}

/** Returns the role of a list that includes the most rights; `undefined` for an empty list. */
export function strongest(roles: readonly Role[]): Role | undefined {
  return roles.toSorted((one, other) => ROLE_RIGHTS[other].length - ROLE_RIGHTS[one].length)[0];
}
