import { assertEquals } from "@std/assert";
import type { States, TrailDraft } from "../../domain/operators/trail.ts";
import type { StoredSession } from "../../ports/console_session_store.ts";
import { SessionMemory } from "./session_memory.ts";

const SPAN = { usedAfterMs: 0, beganAfterMs: 0 };
const DRAFT: TrailDraft = {
  atMs: 1,
  stage: "done",
  author: { kind: "operator", id: "opr_1", name: "Kim", address: null, requestId: "req_1" },
  action: "endSession",
  subject: "/sessions",
};

function sessionOf(name: string): StoredSession {
  return {
    ...{ digest: `digest of ${name}`, name, beganMs: 10, usedMs: 10, version: 1 },
    actor: { kind: "operator", id: "opr_1", name: "Kim", role: "viewer", rights: ["read"] },
    signIn: { kind: "operator", operatorId: "opr_1", tokenId: "tok_1" },
  };
}

Deno.test("a session that two operators end at the same time has one entry of the audit log", async () => {
  const entries: TrailDraft[] = [];
  const sessions = new SessionMemory({
    append: async (draft) => {
      await Promise.resolve();
      entries.push(draft);
      return { ...draft, place: entries.length };
    },
  });
  for (const name of ["one", "two"]) {
    await sessions.create(sessionOf(name), { ...SPAN, max: 9, allMax: 9 });
  }
  const entry = ({ before }: States<StoredSession>) => ({ ...DRAFT, remark: before?.name });
  await Promise.all([
    sessions.end({ name: "one" }, { entry }),
    sessions.end({ actorId: "opr_1" }, { entry }),
    sessions.end({ name: "one" }, { entry }),
  ]);
  assertEquals(entries.map(({ remark }) => remark), ["one", "two"]);
  assertEquals(await sessions.list(SPAN), []);
});
