/**
 * Roles and grants of people whom an identity provider has signed in, by their groups there.
 *
 * @module
 */

import { type Grant, GRANTS, type Role, ROLES, strongest } from "./roles.ts";

/** A group of the identity provider, and what it gives. */
export interface GroupRole {
  readonly group: string;
  readonly gives: Role | Grant;
}

/** The rights of a person by their groups. */
export interface MappedRole {
  readonly role: Role;
  readonly grants: readonly Grant[];
}

/**
 * Parses `group=role` pairs with commas between them. A text instead of a list is the sentence about
 * the first pair that cannot be read.
 */
export function parseGroupRoles(text: string): readonly GroupRole[] | string {
  const pairs: GroupRole[] = [];
  for (const part of text.split(",").map((one) => one.trim()).filter((one) => one !== "")) {
    // A group may contain an equals sign, a role does not.
    const at = part.lastIndexOf("=");
    const group = part.slice(0, Math.max(at, 0)).trim();
    const gives = [...ROLES, ...GRANTS].find((name) => name === part.slice(at + 1).trim());
    if (group === "" || gives === undefined) {
      return `takes pairs such as "staff=viewer", of ${[...ROLES, ...GRANTS].join(", ")}, not ` +
        `"${part}"`;
    }
    pairs.push({ group, gives });
  }
  return pairs;
}

/**
 * Returns the strongest role of a person's groups and all their grants; `undefined` where no group
 * gives a role.
 */
export function mappedRole(
  mapping: readonly GroupRole[],
  groups: readonly string[],
): MappedRole | undefined {
  const given = mapping.filter(({ group }) => groups.includes(group)).map(({ gives }) => gives);
  const role = strongest(ROLES.filter((one) => given.includes(one)));
  return role && { role, grants: GRANTS.filter((one) => given.includes(one)) };
}
