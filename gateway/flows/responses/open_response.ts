import {
  type UpstreamAnswer,
  UpstreamCut,
  type UpstreamFailure,
  type UpstreamJson,
} from "../../ports/upstream.ts";
import { lostInCompletion } from "../../wire/lost_output.ts";
import { ResponseEventRelay } from "../../wire/responses/event_relay.ts";
import { checkNativeAnswer, NativeResponseRelay } from "../../wire/responses/native.ts";
import type { ResponseRelay } from "../../wire/responses/relay.ts";
import type { ResponseContext } from "../../wire/responses/resource.ts";
import { upstreamWarnings } from "../../wire/upstream_warnings.ts";
import { type HostedSetup, notStreamed, openHosted } from "../hosted/hosted_setup.ts";
import type { ResponseRoute } from "./response_routes.ts";
import { type OpenedStream, openStream } from "../stream/opened_stream.ts";

/** A response that has begun: complete, as a stream, or as the first turn of several. */
export type OpenedResponse =
  | {
    readonly kind: "json";
    readonly answer: UpstreamJson;
    readonly context: ResponseContext;
    readonly isNative: boolean;
  }
  | {
    readonly kind: "stream";
    readonly stream: OpenedStream<ResponseRelay>;
    /** Number of searches that the upstream has run so far. */
    readonly searches: () => number;
  }
  | { readonly kind: "turns"; readonly stream: OpenedStream<ResponseEventRelay> };

/** Opens the answer of an upstream. Throws an {@linkcode UpstreamCut} if it is no usable answer. */
export async function openResponse(
  answer: Exclude<UpstreamAnswer, UpstreamFailure>,
  options: {
    readonly route: ResponseRoute;
    readonly context: ResponseContext;
    readonly hosting: HostedSetup | undefined;
    /** Output tokens that the hold pays for. */
    readonly maxTokens: number;
  },
): Promise<OpenedResponse> {
  const { route, context, hosting, maxTokens } = options;
  if (route === "native") return await openNative(answer, { context, maxTokens });
  if (hosting !== undefined) {
    if (answer.kind !== "stream") throw notStreamed();
    const relay = new ResponseEventRelay(context, { hosted: hosting.names, cite: hosting.cite });
    return { kind: "turns", stream: await openHosted(answer, relay) };
  }
  if (answer.kind === "stream") {
    const stream = await openStream(answer, new ResponseEventRelay(context));
    return { kind: "stream", stream, searches: () => 0 };
  }
  if (!Array.isArray(answer.body.value["choices"])) {
    throw new UpstreamCut("malformed", "The upstream sent an answer without choices");
  }
  return { kind: "json", answer, context, isNative: false };
}

/**
 * Returns lines about request fields that the upstream did not receive, and about parts of the
 * answer that cannot be represented here, as far as it has arrived.
 */
export function notCarriedBy(opened: OpenedResponse): readonly string[] {
  if (opened.kind === "json") {
    const { value } = opened.answer.body;
    return [...upstreamWarnings(value), ...lostInCompletion(value)];
  }
  return opened.stream.relay.notCarried ?? [];
}

async function openNative(
  answer: Exclude<UpstreamAnswer, UpstreamFailure>,
  { context, maxTokens }: { readonly context: ResponseContext; readonly maxTokens: number },
): Promise<OpenedResponse> {
  if (answer.kind === "stream") {
    const relay = new NativeResponseRelay(context, maxTokens);
    const stream = await openStream(answer, relay);
    return { kind: "stream", stream, searches: () => relay.searches };
  }
  checkNativeAnswer(answer.body);
  return { kind: "json", answer, context, isNative: true };
}
