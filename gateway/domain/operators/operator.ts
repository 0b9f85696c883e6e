/**
 * Operators with names, and the decisions on their rights.
 *
 * @module
 */

import {
  type Grant,
  type Right,
  RIGHT_MEANINGS,
  RIGHTS,
  rightsOf,
  type Role,
  rolesWith,
} from "./roles.ts";

/** Maximum number of operators: they are read as a whole. */
export const OPERATORS_MAX = 200;
/** Maximum number of tokens of an operator, expired ones not counted. */
export const TOKENS_MAX = 20;
/** Longest life of a token, in days. */
export const TOKEN_DAYS_MAX = 366;
/** Life of a token for which none is given, in days. */
export const TOKEN_DAYS = 90;

/** A token of an operator, of which only the digest is known. */
export interface OperatorToken {
  readonly id: string;
  readonly name: string;
  /** Digest under a pepper, as for keys. */
  readonly digest: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** Operators who issued it, as {@linkcode makersBy} names them. */
  readonly makers?: readonly string[] | undefined;
}

/** A person, or a program, that operates the gateway under a name. */
export interface Operator {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly grants: readonly Grant[];
  readonly state: "active" | "disabled";
  readonly tokens: readonly OperatorToken[];
  readonly createdAtMs: number;
  /** Id under which this person signs in by the identity provider, as `sso:…`. */
  readonly person?: string | undefined;
  /** Operators who created it, as {@linkcode makersBy} names them. */
  readonly makers?: readonly string[] | undefined;
  /** Sessions of the console that began before this time have ended. */
  readonly sessionsSinceMs: number;
  /** Counts the changes, so that none is lost. */
  readonly version: number;
}

/** The way in which somebody proved who they are. */
export type ActorKind = "emergency" | "operator" | "sso";

/** Somebody who acts on the operator's API. */
export interface Actor {
  readonly kind: ActorKind;
  readonly id: string;
  readonly name: string;
  /** Absent for the admin token, which has every right. */
  readonly role?: Role | undefined;
  readonly rights: readonly Right[];
  /** Of an operator: id of the same person at the identity provider. */
  readonly person?: string | undefined;
  /** Of an operator: those who could act in its name, since they made its record or its token. */
  readonly makers?: readonly string[] | undefined;
}

/** The holder of the admin token: it has every right and counts as one person. */
export const EMERGENCY: Actor = {
  kind: "emergency",
  id: "admin-token",
  name: "Admin token",
  rights: RIGHTS,
};

/** Returns an operator as an actor, by the token that was presented or began the session. */
export function actorOf(
  { id, name, role, grants, person, makers = [] }: Operator,
  token: Pick<OperatorToken, "makers">,
): Actor {
  const all = [...new Set([...makers, ...token.makers ?? []])];
  return {
    ...{ kind: "operator", id, name, role, rights: rightsOf(role, grants), makers: all },
    ...person === undefined ? {} : { person },
  };
}

/** Returns the id of the human behind an actor, as far as it is known. */
export function identityOf({ id, person }: Pick<Actor, "id" | "person">): string {
  return person ?? id;
}

/** Returns the makers of what an actor makes: the actor, and the actor's own makers. */
export function makersBy(actor: Pick<Actor, "id" | "person" | "makers">): readonly string[] {
  return [...new Set([identityOf(actor), ...actor.makers ?? []])];
}

/** The reason why an operator may not be changed. */
export interface OperatorRefusal {
  readonly code: "own_record" | "rights_missing" | "missing" | "changed" | "full" | "name_taken";
  /** One sentence: the problem and its remedy. */
  readonly message: string;
}

/** Returns the sentence that refuses an action for want of a right. */
export function rightMissing({ name, role }: Actor, right: Right): string {
  const roles = rolesWith(right);
  const holders = roles.length > 0
    ? `an operator with the role ${roles.join(" or ")}`
    : right === "emergency"
    ? "the holder of the admin token"
    : `an operator to whom "${right}" was granted`;
  return `"${name}"${role === undefined ? "" : ` with the role ${role}`} may not ` +
    `${RIGHT_MEANINGS[right]}; ask ${holders}`;
}

/**
 * Returns why an actor may not give rights to an operator, or manage one who has them; `undefined`
 * where that is allowed. No actor manages their own record, gives a right that they lack, or manages an
 * operator with such a right, whose token would lend it to them.
 */
export function managementRefusal(
  actor: Actor,
  target: {
    readonly id?: string;
    readonly rights: readonly Right[];
    readonly person?: string | undefined;
  },
): OperatorRefusal | undefined {
  if (actor.id === target.id || target.person === identityOf(actor)) {
    const message = "An operator's own rights, state and tokens are changed by another operator";
    return { code: "own_record", message };
  }
  const lacking = target.rights.filter((right) => !actor.rights.includes(right));
  if (lacking.length === 0) return undefined;
  return {
    code: "rights_missing",
    message:
      `Only somebody with ${lacking.map((right) => `"${right}"`).join(" and ")} may give or ` +
      "manage these rights; ask such an operator, or use the admin token",
  };
}

/** An operator, and the token that was presented. */
export interface TokenHolder {
  readonly operator: Operator;
  readonly token: OperatorToken;
}

/** Returns the operator and token of one of some digests; nothing for one that is not in force. */
export function tokenHolder(
  operators: readonly Operator[],
  digests: readonly string[],
  nowMs: number,
): TokenHolder | undefined {
  for (const operator of operators) {
    const token = operator.tokens.find(({ digest }) => digests.includes(digest));
    if (token === undefined) continue;
    const isInForce = operator.state === "active" && nowMs < token.expiresAtMs;
    return isInForce ? { operator, token } : undefined;
  }
  return undefined;
}
