import { ServiceFault } from "../../domain/fault.ts";
import { identityOf, managementRefusal } from "../../domain/operators/operator.ts";
import type { StoredSession } from "../../ports/console_session_store.ts";
import type { AdminDeps } from "../deps.ts";
import { isoTime } from "../json_values.ts";
import type { PlaygroundKeys } from "../keys/playground_keys.ts";
import type { Handlers } from "../routes.ts";
import { authorOf } from "./author.ts";
import { actorJson } from "./operators.ts";

/** Returns a session as the audit log shows it. */
export function sessionState({ name, actor, address, beganMs }: StoredSession) {
  const { kind, id, name: person } = actor;
  const who = { kind, id, name: person };
  return { id: name, who, address: address ?? null, beganAt: isoTime(beganMs) };
}

/** Handlers of the console's sessions. */
export function sessionHandlers(
  { sessions }: AdminDeps,
  playground: Pick<PlaygroundKeys, "endAfter">,
) {
  return {
    "GET /sessions": async () => ({
      sessions: (await sessions.list()).map(({ name, actor, address, beganMs, usedMs }) => ({
        id: name,
        ...{ who: actorJson(actor), address: address ?? null },
        ...{ beganAt: isoTime(beganMs), usedAt: isoTime(usedMs) },
      })),
    }),
    "DELETE /sessions/{id}": async ({ context, path: { id }, entry }) => {
      const session = await sessions.named(id);
      if (session === undefined) {
        throw new ServiceFault("not_found", { message: `There is no session "${id}"` });
      }
      const { actor } = session;
      const self = context.get("actor");
      const isOwn = identityOf(self) === identityOf(actor);
      const refusal = isOwn ? undefined : managementRefusal(self, actor);
      if (refusal !== undefined) {
        throw new ServiceFault("policy_denied", { message: refusal.message });
      }
      await sessions.endNamed(id, { entry: entry(sessionState) });
      await playground.endAfter(actor.id, authorOf(context));
      return { ended: true as const };
    },
  } satisfies Partial<Handlers>;
}
