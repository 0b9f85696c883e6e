import type { Dialect, Endpoint } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import {
  ORCHESTRATION_CHOICES,
  type OrchestrationChoice,
} from "../../domain/orchestration/mode.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import type { KeyPolicy } from "../../domain/policy/policy.ts";
import { TAG_HEADER } from "../../domain/requests/attribution.ts";
import { type AutoChoice, choiceDenial, parseAutoChoice } from "../../domain/routing/auto.ts";
import type { CheckedCall, IncomingCall } from "../../flows/admit/admit_call.ts";
import type { ModelReply } from "../../flows/model_calls.ts";
import type { ModelAnswer } from "../../flows/request/model_answer.ts";
import type { BodyHold } from "../../ports/body_hold.ts";
import type { Rng } from "../../ports/rng.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { dialectOf } from "../dialect.ts";
import type { ConnectionInfo } from "../env.ts";
import type { Identify, UnknownCaller } from "../middleware/authenticate.ts";
import { tagsOfHeader } from "../known_tags.ts";
import { invalidRequestId, requestIdOf } from "../middleware/request_id.ts";
import { type HeaderLookUp, RequestHeaders } from "../request_headers.ts";
import { requireEndpoint } from "../require_endpoint.ts";

/** A model endpoint: how its body is read and validated, and the call that answers it. */
export interface ModelEndpoint<Checked> {
  readonly endpoint: Endpoint;
  read(
    request: Request,
    options: { readonly hold: BodyHold; readonly headers: HeaderLookUp },
  ): Promise<JsonBody>;
  /** Throws a {@linkcode ServiceFault} if the body is invalid. `model` has been checked before. */
  check(body: JsonBody): Checked;
  call(incoming: IncomingCall<Checked>): Promise<ModelReply>;
}

/** Parts of the public listener that the handlers of model endpoints use. */
export interface ModelEdge {
  readonly identify: Identify;
  readonly rng: Rng;
  /** Returns the answer to a request that failed. */
  failed(error: unknown, requestId: string, dialect: Dialect | undefined): Response;
}

/** Answers a request to a model endpoint, a failed one too. */
export type ModelHandler = (request: Request, connection: ConnectionInfo) => Promise<Response>;

/**
 * Returns the handler of a model endpoint: the whole way of a call through the public listener. It
 * has no middleware, each of which would cost every call a promise and a closure.
 *
 * The `x-ratelimit-*` headers are on every answer to an identified caller, also on a refusal. A JSON
 * answer has its tokens counted; the beginning of a stream has its reserved tokens counted.
 */
export function modelCall<Checked>(
  endpoint: ModelEndpoint<Checked>,
  edge: ModelEdge,
): ModelHandler {
  return async function modelCallHandler(request, { remoteAddress }) {
    let requestId: string | undefined;
    let call: PostedCall<Checked> | undefined;
    let reply: ModelReply | undefined;
    try {
      const headers = new RequestHeaders(request.headers);
      const id = requestIdOf(headers, edge.rng);
      requestId = id.requestId;
      if (!id.isValid) throw invalidRequestId();
      const known = edge.identify({ request, headers, requestId, remoteAddress });
      const key = known instanceof Promise ? await known : known;
      call = new PostedCall(endpoint, request, { headers, key, requestId });
      reply = await endpoint.call(call);
      if (!reply.ok) throw reply.error;
      return responseOf(reply.answer, { "x-request-id": requestId, ...reply.rateLimits });
    } catch (error) {
      const answer = edge.failed(error, requestId ?? edge.rng.id("req"), call?.dialect);
      for (const [name, value] of Object.entries(reply?.rateLimits ?? {})) {
        answer.headers.set(name, value);
      }
      return answer;
    }
  };
}

/** A request to a model endpoint by a caller with a valid key. */
class PostedCall<Checked> implements IncomingCall<Checked> {
  readonly key: KeyRecord;
  readonly requestId: string;
  readonly signal: AbortSignal;
  readonly #endpoint: ModelEndpoint<Checked>;
  readonly #request: Request;
  readonly #headers: HeaderLookUp;
  #dialect: Dialect | undefined;

  constructor(
    endpoint: ModelEndpoint<Checked>,
    request: Request,
    { headers, key, requestId }: Pick<UnknownCaller, "headers" | "requestId"> & {
      readonly key: KeyRecord;
    },
  ) {
    this.key = key;
    this.requestId = requestId;
    this.signal = request.signal;
    this.#endpoint = endpoint;
    this.#request = request;
    this.#headers = headers;
  }

  get traceparent(): string | null {
    return this.#headers.get("traceparent");
  }

  /** Dialect of the answer; absent until the request is read. */
  get dialect(): Dialect | undefined {
    return this.#dialect;
  }

  read(hold: BodyHold): Promise<JsonBody> {
    const { endpoint, read } = this.#endpoint;
    requireEndpoint(this.key, endpoint);
    this.#dialect = dialectOf(this.#headers, this.key.policy);
    return read(this.#request, { hold, headers: this.#headers });
  }

  tags(): string | undefined {
    return tagsOfHeader(this.#headers.get(TAG_HEADER));
  }

  check(body: JsonBody): CheckedCall<Checked> {
    const orchestration = orchestrationChoice(this.#headers);
    const auto = autoChoice(this.#headers, this.key.policy);
    return { checked: this.#endpoint.check(body), orchestration, auto };
  }
}

/** `headers`: those of the request's id and limits, to which those of the answer's kind are added. */
function responseOf(answer: ModelAnswer, headers: Record<string, string>): Response {
  if (answer.kind === "json") {
    headers["content-type"] = "application/json";
    return new Response(answer.text, { headers });
  }
  headers["content-type"] = "text/event-stream; charset=utf-8";
  headers["cache-control"] = "no-cache";
  // Nginx would otherwise buffer the whole stream.
  headers["x-accel-buffering"] = "no";
  return new Response(answer.bytes, { headers });
}

/**
 * Reads the header `X-Auto`. Throws a {@linkcode ServiceFault} if it is malformed, or if the key's
 * policy does not allow the choice.
 */
function autoChoice(headers: HeaderLookUp, policy: KeyPolicy): AutoChoice | undefined {
  const header = headers.get("x-auto");
  if (header === null) return undefined;
  const param = "X-Auto";
  const parsed = parseAutoChoice(header);
  if (!parsed.ok) throw new ServiceFault("invalid_request", { message: parsed.reason, param });
  const denial = choiceDenial(policy, parsed.choice);
  if (denial !== undefined) throw new ServiceFault("policy_denied", { message: denial, param });
  return parsed.choice;
}

/** Reads the header `X-Orchestration`. Throws a {@linkcode ServiceFault} for an unknown value. */
function orchestrationChoice(headers: HeaderLookUp): OrchestrationChoice | undefined {
  const header = headers.get("x-orchestration");
  if (header === null) return undefined;
  const name = header.trim().toLowerCase();
  const choice = ORCHESTRATION_CHOICES.find((known) => known === name);
  if (choice !== undefined) return choice;
  const known = ORCHESTRATION_CHOICES.map((name) => `"${name}"`).join(", ");
  throw new ServiceFault("invalid_request", {
    message: `Send X-Orchestration as one of ${known}, or leave it out`,
    param: "X-Orchestration",
  });
}
