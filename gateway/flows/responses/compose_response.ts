/**
 * Responses that several models answer together: verified answers, and requests split into tasks.
 *
 * @module
 */

import type { Audits } from "../learn/audits.ts";
import { gateOf, orchestrate, type OrchestrateDeps } from "../orchestrate/orchestrate.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { ModelAnswer } from "../request/model_answer.ts";
import { verify, type VerifyDeps } from "../verify/verify.ts";
import { OrchestratedResponse } from "./orchestrated_response.ts";
import type { PlannedResponse } from "./truncation.ts";

type ComposeDeps =
  & OrchestrateDeps
  & VerifyDeps
  & ConstructorParameters<typeof OrchestratedResponse>[0]
  & {
    readonly audits: Pick<Audits, "offer">;
  };

/** Answers a request by several models; `undefined` if one call is to answer it. */
export async function composeResponse(
  deps: ComposeDeps,
  active: ActiveRequest,
  planned: PlannedResponse & { onEnd(): void },
): Promise<ModelAnswer | undefined> {
  return await verifyResponse(deps, active, planned) ??
    await orchestrateResponse(deps, active, planned);
}

/** Offers a response for an audit: its request as a chat request, to models that can serve it so. */
export function offerAudit(
  deps: Pick<ComposeDeps, "audits">,
  active: ActiveRequest,
  { request, plan }: PlannedResponse,
): void {
  const candidates = plan.candidates.filter((candidate) => request.takesChatRoute(candidate));
  const { chat: body, features } = request;
  deps.audits.offer(active, { body, features, plan: { ...plan, candidates } });
}

/** Answers a request by models that verify each other; `undefined` if it runs as one call. */
async function verifyResponse(
  deps: ComposeDeps,
  active: ActiveRequest,
  { request, plan, onEnd }: PlannedResponse & { onEnd(): void },
): Promise<ModelAnswer | undefined> {
  const audit = () => offerAudit(deps, active, { request, plan });
  const answer = await verify(deps, active, {
    body: request.chat,
    features: request.features,
    plan,
    takesChat: (candidate) => request.takesChatRoute(candidate),
    surface: (breakdown) => new OrchestratedResponse(deps, { active, request, plan, breakdown }),
    onEnd: () => {
      onEnd();
      audit();
    },
  });
  if (answer?.kind === "json") audit();
  return answer;
}

/** Answers a request by tasks of several models; `undefined` if it runs as one call. */
function orchestrateResponse(
  deps: ComposeDeps,
  active: ActiveRequest,
  { request, plan, onEnd }: PlannedResponse & { onEnd(): void },
): Promise<ModelAnswer | undefined> {
  // Tasks and answer are chat completions at every upstream.
  const candidates = plan.candidates.filter((candidate) => request.takesChatRoute(candidate));
  if (candidates.length === 0) return Promise.resolve(undefined);
  const open = { ...plan, candidates };
  const splittable = { body: request.chat, features: request.features, plan: open };
  const gate = gateOf(active, splittable);
  if (gate === undefined) return Promise.resolve(undefined);
  return orchestrate(deps, active, {
    ...splittable,
    gate,
    surface: (known) => new OrchestratedResponse(deps, { ...known, active, request, plan: open }),
    onEnd,
  });
}
