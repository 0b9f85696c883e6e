import {
  type Actor,
  actorOf,
  identityOf,
  makersBy,
  managementRefusal,
  type Operator,
  type OperatorRefusal,
  OPERATORS_MAX,
  type TokenHolder,
  tokenHolder,
  TOKENS_MAX,
} from "../../domain/operators/operator.ts";
import { type Grant, rightsOf, type Role } from "../../domain/operators/roles.ts";
import {
  differences,
  loggable,
  type TrailAuthor,
  type TrailDraft,
} from "../../domain/operators/trail.ts";
import { parseKey } from "../../domain/policy/key_format.ts";
import type { Clock } from "../../ports/clock.ts";
import type { OperatorStore } from "../../ports/operator_store.ts";
import type { Rng } from "../../ports/rng.ts";
import { newAdminToken } from "../keys/admin_tokens.ts";
import type { RandomBytes } from "../keys/new_secret.ts";
import type { Peppers } from "../keys/peppers.ts";

const DAY_MS = 86_400_000;
/** Tries of a change that another change has overtaken. */
const TRIES = 5;

/** Dependencies of {@linkcode Operators}. */
export interface OperatorsDeps {
  readonly operatorStore: OperatorStore;
  readonly peppers: Pick<Peppers, "digest" | "digests">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly rng: Pick<Rng, "id">;
  /** Source of secrets. @default {randomBytes of node:crypto} */
  readonly random?: RandomBytes | undefined;
}

/** Somebody whose token was accepted. */
export interface Admitted {
  readonly actor: Actor;
  /** Id of an operator's token; absent for the admin token. */
  readonly tokenId?: string | undefined;
}

/** A session that an operator's token has begun. */
export interface TokenSession {
  readonly operatorId: string;
  readonly tokenId: string;
  /** Unix time in milliseconds. */
  readonly beganMs: number;
}

/** Somebody who changes operators. */
export interface Manager {
  readonly actor: Actor;
  readonly author: TrailAuthor;
  /** Id of the operation of the API. */
  readonly action: string;
}

/** A change of an operator, or the reason why it was refused. */
export type OperatorChange = { readonly ok: true; readonly operator: Operator } | {
  readonly ok: false;
  readonly refusal: OperatorRefusal;
};

/** A decision on an operator: what changes, or why nothing does. */
type Decision = (operator: Operator) => Partial<Operator> | OperatorRefusal;

/** The operators with names: each change is stored with its entry of the audit log. */
export class Operators {
  readonly #deps: OperatorsDeps;

  constructor(deps: OperatorsDeps) {
    this.#deps = deps;
  }

  /** Returns all operators, in the order in which they were created. */
  all(): Promise<readonly Operator[]> {
    return this.#deps.operatorStore.all();
  }

  /** Returns the holder of a token; `undefined` for one that is not in force. */
  async authenticate(secret: string): Promise<Admitted | undefined> {
    const { peppers, clock } = this.#deps;
    // No other form was ever issued: a guess costs no reading.
    if (parseKey(secret, "admin") === undefined) return undefined;
    const digests = peppers.digests(secret);
    const holder = tokenHolder(await this.all(), digests, clock.nowMs());
    if (holder === undefined) return undefined;
    await this.#movePepper(holder, digests);
    return { actor: actorOf(holder.operator, holder.token), tokenId: holder.token.id };
  }

  /**
   * Returns an operator as the actor of a session; `undefined` where that has ended: its operator is
   * disabled, its token is revoked or expired, or the sessions of the operator were ended.
   */
  async present({ operatorId, tokenId, beganMs }: TokenSession): Promise<Actor | undefined> {
    const operator = (await this.all()).find(({ id }) => id === operatorId);
    if (operator?.state !== "active" || beganMs <= operator.sessionsSinceMs) return undefined;
    const nowMs = this.#deps.clock.nowMs();
    const token = operator.tokens.find(({ id }) => id === tokenId);
    return token !== undefined && nowMs < token.expiresAtMs ? actorOf(operator, token) : undefined;
  }

  /** Creates an operator without a token. */
  async create(
    manager: Manager,
    { name, role, grants, person }: {
      readonly name: string;
      readonly role: Role;
      readonly grants: readonly Grant[];
      readonly person?: string | undefined;
    },
  ): Promise<OperatorChange> {
    const { operatorStore, clock, rng } = this.#deps;
    const refusal = managementRefusal(manager.actor, { rights: rightsOf(role, grants), person }) ??
      whyFull(await this.all(), name);
    if (refusal !== undefined) return { ok: false, refusal };
    const nowMs = clock.nowMs();
    const operator: Operator = {
      id: rng.id("opr"),
      ...{ name, role, grants, state: "active", tokens: [], createdAtMs: nowMs },
      ...{ sessionsSinceMs: 0, version: 1, makers: makersBy(manager.actor) },
      ...person === undefined ? {} : { person },
    };
    await operatorStore.put(operator, this.#entry(manager, undefined, operator));
    return { ok: true, operator };
  }

  /** Gives an operator another role and other grants. */
  setRole(
    manager: Manager,
    id: string,
    { role, grants }: { role: Role; grants: readonly Grant[] },
  ): Promise<OperatorChange> {
    return this.#change(manager, id, () => {
      const rights = rightsOf(role, grants);
      return managementRefusal(manager.actor, { rights }) ?? { role, grants };
    });
  }

  /** Disables an operator, whose sessions end, or enables one again. */
  setState(manager: Manager, id: string, state: Operator["state"]): Promise<OperatorChange> {
    return this.#change(manager, id, () => ({
      state,
      ...state === "disabled" ? { sessionsSinceMs: this.#deps.clock.nowMs() } : {},
    }));
  }

  /** Ends all sessions of an operator, on every instance. */
  endSessions(manager: Manager, id: string): Promise<OperatorChange> {
    return this.#change(manager, id, () => ({ sessionsSinceMs: this.#deps.clock.nowMs() }));
  }

  /** Creates a token, which is returned this once. */
  async issueToken(
    manager: Manager,
    id: string,
    { name, days }: { name: string; days: number },
  ): Promise<OperatorChange & { readonly token?: string; readonly tokenId?: string }> {
    const { peppers, clock, rng, random } = this.#deps;
    const token = newAdminToken(random);
    const tokenId = rng.id("tok");
    const changed = await this.#change(manager, id, ({ tokens }) => {
      const nowMs = clock.nowMs();
      const inForce = tokens.filter(({ expiresAtMs }) => nowMs < expiresAtMs);
      if (inForce.length >= TOKENS_MAX) {
        return {
          code: "full",
          message: `An operator has at most ${TOKENS_MAX} tokens; revoke one`,
        };
      }
      const digest = peppers.digest(token);
      const expiresAtMs = nowMs + days * DAY_MS;
      const makers = makersBy(manager.actor);
      const issued = { id: tokenId, name, digest, createdAtMs: nowMs, expiresAtMs, makers };
      return { tokens: [...inForce, issued] };
    });
    return changed.ok ? { ...changed, token, tokenId } : changed;
  }

  /** Revokes a token; operators may revoke their own. */
  revokeToken(manager: Manager, id: string, tokenId: string): Promise<OperatorChange> {
    return this.#change(manager, id, ({ tokens }) => {
      const others = tokens.filter((token) => token.id !== tokenId);
      if (others.length < tokens.length) return { tokens: others };
      return { code: "missing", message: `This operator has no token "${tokenId}"` };
    }, { mayBeOwn: true });
  }

  async #change(
    manager: Manager,
    id: string,
    decide: Decision,
    { mayBeOwn = false } = {},
  ): Promise<OperatorChange> {
    for (let tries = 0; tries < TRIES; tries++) {
      const operator = (await this.all()).find((one) => one.id === id);
      if (operator === undefined) return refused("missing", `There is no operator "${id}"`);
      const { role, grants, person } = operator;
      const isOwn = mayBeOwn && [id, person].includes(identityOf(manager.actor));
      const refusal = isOwn
        ? undefined
        : managementRefusal(manager.actor, { id, person, rights: rightsOf(role, grants) });
      if (refusal !== undefined) return { ok: false, refusal };
      const decision = decide(operator);
      if ("code" in decision) return { ok: false, refusal: decision };
      const changed = { ...operator, ...decision, version: operator.version + 1 };
      const entry = this.#entry(manager, operator, changed);
      if (await this.#deps.operatorStore.put(changed, entry)) {
        return { ok: true, operator: changed };
      }
    }
    return refused("changed", "Others change this operator at the same time; try again");
  }

  /** Moves the digest of a token under the previous pepper to the current one. */
  async #movePepper(
    { operator, token }: TokenHolder,
    [digest = ""]: readonly string[],
  ): Promise<void> {
    if (token.digest === digest) return;
    const tokens = operator.tokens.map((one) => one.id === token.id ? { ...one, digest } : one);
    const { id, name, version } = operator;
    await this.#deps.operatorStore.put({ ...operator, tokens, version: version + 1 }, {
      atMs: this.#deps.clock.nowMs(),
      author: { kind: "operator", id, name, address: null, requestId: "" },
      ...{ action: "moveTokenToPepper", stage: "noted", subject: `/operators/${id}` },
    });
  }

  #entry(
    { author, action }: Manager,
    before: Operator | undefined,
    after: Operator,
  ): TrailDraft {
    const states = differences(before && loggable(before), loggable(after));
    return {
      atMs: this.#deps.clock.nowMs(),
      ...{ author, action, stage: "done", subject: `/operators/${after.id}`, ...states },
    };
  }
}

function refused(code: OperatorRefusal["code"], message: string): OperatorChange {
  return { ok: false, refusal: { code, message } };
}

function whyFull(operators: readonly Operator[], name: string): OperatorRefusal | undefined {
  if (operators.length >= OPERATORS_MAX) {
    return { code: "full", message: `There are ${OPERATORS_MAX} operators already; change one` };
  }
  if (operators.some((one) => one.name.toLowerCase() === name.toLowerCase())) {
    return {
      code: "name_taken",
      message: `There is an operator "${name}" already; choose another`,
    };
  }
  return undefined;
}
