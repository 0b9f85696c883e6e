import type { AnswerOf } from "../../admin_api/operations.ts";
import { ServiceFault } from "../../domain/fault.ts";
import type {
  Actor,
  Operator,
  OperatorRefusal,
  OperatorToken,
} from "../../domain/operators/operator.ts";
import { rightMissing } from "../../domain/operators/operator.ts";
import { ROLE_RIGHTS, ROLES } from "../../domain/operators/roles.ts";
import type { Manager, OperatorChange } from "../../flows/operators/operators.ts";
import type { AdminContext, AdminDeps } from "../deps.ts";
import { isoTime } from "../json_values.ts";
import type { PlaygroundKeys } from "../keys/playground_keys.ts";
import type { Handlers } from "../routes.ts";
import { authorOf } from "./author.ts";

/** Handlers of operators: who may do what, and with which tokens. */
export function operatorHandlers(
  deps: AdminDeps,
  playground: Pick<PlaygroundKeys, "endAfter">,
) {
  const { operators, sessions, clock } = deps;
  const shown = (operator: Operator) => operatorJson(operator, clock.nowMs());
  const changed = async (change: Promise<OperatorChange>) => shown(changedOf(await change));
  /** Ends the keys of the playground with the access of their operator. */
  const ending = async ({ author }: Manager, change: Promise<OperatorChange>) => {
    const operator = await changed(change);
    await playground.endAfter(operator.id, author);
    return operator;
  };
  return {
    "GET /operators": async () => ({
      operators: (await operators.all()).map(shown),
      roles: ROLES.map((role) => ({ role, rights: [...ROLE_RIGHTS[role]] })),
    }),
    "GET /operators/me": ({ context }) => meJson(context.get("actor")),
    "GET /operators/{id}": async ({ path: { id } }) => {
      const operator = (await operators.all()).find((one) => one.id === id);
      if (operator !== undefined) return shown(operator);
      throw new ServiceFault("not_found", { message: `There is no operator "${id}"` });
    },
    "POST /operators": async ({ context, body }) => {
      const manager = managerOf(context, "createOperator");
      return await changed(operators.create(manager, await body()));
    },
    "POST /operators/{id}/role": async ({ context, path: { id }, body }) => {
      const manager = managerOf(context, "setOperatorRole");
      return await ending(manager, operators.setRole(manager, id, await body()));
    },
    "POST /operators/{id}/disable": ({ context, path: { id } }) => {
      const manager = managerOf(context, "disableOperator");
      return ending(manager, operators.setState(manager, id, "disabled"));
    },
    "POST /operators/{id}/enable": ({ context, path: { id } }) =>
      changed(operators.setState(managerOf(context, "enableOperator"), id, "active")),
    "POST /operators/{id}/tokens": async ({ context, path: { id }, body }) => {
      const manager = managerOf(context, "createOperatorToken");
      const issued = await operators.issueToken(manager, id, await body());
      const token = changedOf(issued).tokens.find((one) => one.id === issued.tokenId);
      if (token === undefined || issued.token === undefined) throw new ServiceFault("conflict");
      return { token: issued.token, ...tokenJson(token, clock.nowMs()) };
    },
    "DELETE /operators/{id}/tokens/{tokenId}": ({ context, path: { id, tokenId } }) => {
      const actor = context.get("actor");
      if (actor.id !== id && !actor.rights.includes("operators")) {
        throw new ServiceFault("policy_denied", { message: rightMissing(actor, "operators") });
      }
      return changed(operators.revokeToken(managerOf(context, "revokeOperatorToken"), id, tokenId));
    },
    "DELETE /operators/{id}/sessions": async ({ context, path: { id } }) => {
      const manager = managerOf(context, "endOperatorSessions");
      const operator = await ending(manager, operators.endSessions(manager, id));
      await sessions.endAllOf(id);
      return operator;
    },
  } satisfies Partial<Handlers>;
}

function managerOf(context: AdminContext, action: string): Manager {
  return { actor: context.get("actor"), author: authorOf(context), action };
}

function changedOf(change: OperatorChange): Operator {
  if (change.ok) return change.operator;
  throw refusalFault(change.refusal);
}

const CODES = {
  own_record: "policy_denied",
  rights_missing: "policy_denied",
  missing: "not_found",
  changed: "conflict",
  full: "conflict",
  name_taken: "conflict",
} as const satisfies Record<OperatorRefusal["code"], string>;

function refusalFault({ code, message }: OperatorRefusal): ServiceFault {
  return new ServiceFault(CODES[code], { message });
}

/** Returns an actor as answers show it. */
export function actorJson({ kind, id, name, role }: Actor) {
  return { kind, id, name, role: role ?? null };
}

function meJson(actor: Actor): AnswerOf<"GET /operators/me"> {
  return { ...actorJson(actor), rights: actor.rights };
}

function operatorJson(operator: Operator, nowMs: number): AnswerOf<"GET /operators/{id}"> {
  const { id, name, role, grants, state, person = null, createdAtMs, tokens } = operator;
  return {
    ...{ id, name, role, grants, state, person },
    createdAt: isoTime(createdAtMs),
    tokens: tokens.map((token) => tokenJson(token, nowMs)),
  };
}

function tokenJson({ id, name, createdAtMs, expiresAtMs }: OperatorToken, nowMs: number) {
  const times = { createdAt: isoTime(createdAtMs), expiresAt: isoTime(expiresAtMs) };
  return { id, name, ...times, isInForce: nowMs < expiresAtMs };
}
