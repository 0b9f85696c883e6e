/**
 * The span of an attempt at an upstream, from the call to its bill or its failure.
 *
 * @module
 */

import { operationName } from "../../domain/requests/gen_ai.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import type { CallEnding } from "../../domain/ledger/settlement.ts";
import type { UpstreamFailure } from "../../ports/upstream.ts";
import type { Span, SpanEnd } from "../../ports/tracer.ts";
import type { ActiveRequest } from "../request/active_request.ts";

/** Begins the span of an attempt; `undefined` if the request is not traced. */
export function attemptSpan(active: ActiveRequest, candidate: Candidate): Span | undefined {
  const { span, identity } = active;
  if (span === undefined) return undefined;
  const { model, traits, upstream } = candidate;
  const operation = operationName(identity.endpoint);
  return span.child(`${operation} ${model.upstreamModel}`, {
    kind: "client",
    attributes: {
      "gen_ai.operation.name": operation,
      "gen_ai.provider.name": traits.telemetryName ?? upstream.provider,
      "gen_ai.request.model": model.upstreamModel,
      "svc.upstream": upstream.id,
      "svc.model": model.id,
    },
  });
}

/**
 * Returns the end of a span whose attempt failed before an answer. It omits the message of the
 * upstream, which may quote the request.
 */
export function failedEnd(
  { outcome, status }: Pick<UpstreamFailure, "outcome" | "status">,
): SpanEnd {
  return {
    error: outcome,
    attributes: status === undefined ? undefined : { "http.response.status_code": status },
  };
}

const NO_ERRORS: readonly CallEnding[] = ["finished", "client_left", "limited"];

/** Returns the end of a span whose answer had begun. */
export function billedEnd(
  ending: CallEnding,
  { usage, estimated }: { readonly usage: Usage; readonly estimated: boolean },
): SpanEnd {
  return {
    attributes: {
      "http.response.status_code": 200,
      "gen_ai.usage.input_tokens": usage.inputTokens,
      "gen_ai.usage.cache_read.input_tokens": usage.cachedInputTokens,
      "gen_ai.usage.output_tokens": usage.outputTokens,
      "svc.usage.estimated": estimated,
    },
    error: NO_ERRORS.includes(ending) ? undefined : ending,
  };
}
