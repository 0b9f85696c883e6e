import type { RequestFeatures } from "../../domain/requests/features.ts";
import type { Micros } from "../../domain/ledger/money.ts";
import type { Candidate, ChosenLadder } from "../../domain/routing/plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { fundsNow, type OpenPlan, type PlanDeps } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";

/** A request whose answer may be verified. */
export interface VerifiableRequest {
  /** The body as a chat completion request. */
  readonly body: JsonBody;
  readonly features: RequestFeatures;
  /** The plan to serve it as one call. */
  readonly plan: OpenPlan;
  /** True when a model can be sent a chat completion request for it. */
  takesChat(candidate: Candidate): boolean;
}

/** Reason that hosted tools give: their searches would be paid for at every model. */
const HOSTED_TOOLS = "it uses hosted tools";

/**
 * Returns the ladder of models that verify the answer of a request; `undefined` if it is served as
 * usual. Where the caller or the key's policy wanted it verified, the report says why it is not.
 */
export async function openLadder(
  deps: PlanDeps,
  active: ActiveRequest,
  request: VerifiableRequest,
): Promise<ChosenLadder | undefined> {
  const { body, features, plan: { ladder } } = request;
  if (ladder === undefined) {
    noteWithoutLadder(active, features);
    return undefined;
  }
  const reason = await refusal(deps, active, { ...request, ladder, body });
  if (reason === undefined) return ladder;
  noteRefusal(active, reason);
  return undefined;
}

/** Notes that a request is not verified, if its caller asked for it. */
export function noteUnverified(active: ActiveRequest, reason = HOSTED_TOOLS): void {
  if (active.identity.auto?.verify === true) noteRefusal(active, reason);
}

/** Notes that a request without a ladder is not verified, if its caller asked for it. */
export function noteWithoutLadder(active: ActiveRequest, features: RequestFeatures): void {
  if (active.identity.auto?.verify === true) noteRefusal(active, reasonWithout(features));
}

/** Notes that a request is not verified although that was planned. */
export function noteRefusal(active: ActiveRequest, reason: string): void {
  active.report.noteVerification(`Not verified: ${reason}`, { isVerified: false });
}

/** Returns the maximum cost of the longest way through a ladder. */
export function dearestPath({ cheap, better }: ChosenLadder): Micros {
  return cheap.reduce((sum, { holdAmount }) => sum + holdAmount, better.holdAmount);
}

/** Returns why a request has no ladder. */
function reasonWithout({ hostedTools, choices, comparable }: RequestFeatures): string {
  if (hostedTools.length > 0) return HOSTED_TOOLS;
  if (choices > 1) return "it asks for several choices";
  return comparable === undefined
    ? "its answers do not compare, because it has no response schema, required tool or output " +
      "limit of a short answer"
    : "fewer than three models can serve it, two of them for half the price of the best";
}

async function refusal(
  deps: PlanDeps,
  active: ActiveRequest,
  { body, features, ladder, takesChat }: VerifiableRequest & { readonly ladder: ChosenLadder },
): Promise<string | undefined> {
  const { cheap, better } = ladder;
  if (![...cheap, better].every((candidate) => takesChat(candidate))) {
    return "a model that would verify it cannot be sent a chat completion request";
  }
  // Each of the cheap models is sent the request once more.
  if (active.hold?.tryTake(cheap.length * body.text.length) === false) {
    return "it is too long to be held once for each model";
  }
  const funds = await fundsNow(deps, active, features);
  return dearestPath(ladder) > funds ? TOO_DEAR : undefined;
}

/** Reason of a request whose dearest path cannot be paid. */
export const TOO_DEAR = "asking every model of the plan could cost more than there is";
