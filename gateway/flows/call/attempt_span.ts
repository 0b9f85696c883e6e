/**
 * The span of an attempt at an upstream: from the call to the bill, or to its failure.
 *
 * @module
 */

import { operationName } from "../../domain/requests/gen_ai.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import type { CallEnding } from "../../domain/ledger/settlement.ts";
import type { UpstreamFailure } from "../../ports/upstream.ts";
import type { Span, SpanEnd } from "../../ports/tracer.ts";
import type { RequestTrace } from "../request_trace.ts";

/** Begins it; `undefined` where the request is not traced. */
export function attemptSpan(trace: RequestTrace, candidate: Candidate): Span | undefined {
  const { span, caller } = trace;
  if (span === undefined) return undefined;
  const { model, traits, upstream } = candidate;
  const operation = operationName(caller.endpoint);
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

/** How one ends that failed before its answer began: the upstream's message may quote what it was sent. */
export function failedEnd(
  { outcome, status }: Pick<UpstreamFailure, "outcome" | "status">,
): SpanEnd {
  return {
    error: outcome,
    attributes: status === undefined ? undefined : { "http.response.status_code": status },
  };
}

const NO_ERRORS: readonly CallEnding[] = ["finished", "client_left", "limited"];

/** How one ends whose answer had begun. */
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
