import type { ChatRequest } from "@svc/sdk/protocol";
import type { ObservedAnswer } from "../../domain/learning/answer_check.ts";
import { loadOf } from "../../domain/learning/estimate.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { Learning } from "./learning.ts";

/** Notes a complete answer of a candidate, to be checked after the caller was answered. */
export function noteAnswer(
  { learning }: { readonly learning: Pick<Learning, "noteAnswer"> },
  active: ActiveRequest,
  { candidate, answer, atMs }: {
    readonly candidate: Candidate;
    /** @default {the answer is not checked} */
    readonly answer: (() => ObservedAnswer | undefined) | undefined;
    readonly atMs: number;
  },
): void {
  const task = active.report.plan?.basis.task;
  const { chatRequest: request } = active;
  if (task === undefined || request === undefined || answer === undefined) return;
  const { walletId, id: keyId } = active.identity.key;
  learning.noteAnswer({
    ...{ walletId, keyId, task, atMs, answer },
    model: candidate.model.id,
    load: loadOf(candidate.ranking.difficulty),
    startedAtMs: active.atMs,
    request: request.value as unknown as ChatRequest,
    requestChars: request.text.length,
  });
}
