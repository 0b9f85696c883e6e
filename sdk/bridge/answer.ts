import { createHash, timingSafeEqual } from "node:crypto";
import { CallLimit } from "../call_limit.ts";
import type { Messages } from "../messages/messages.ts";
import { ERROR_TABLE, MODEL_AUTO } from "../protocol/mod.ts";
import { bodyOf, objectIn, sentId } from "../proxy/request.ts";
import { type AcceptedRequest, acceptedRequest } from "./accepted.ts";
import { errorAnswer, type Problem, problemOf } from "./anthropic_error.ts";
import { EventFrames } from "./event_frames.ts";
import { type CountTokens, inputTokens } from "./token_count.ts";

/** Settings of a bridge. */
export interface BridgeSettings {
  /** Calls the service. */
  readonly messages: Messages;
  /** The token of local programs. */
  readonly token: string;
  /** Longest accepted body, in bytes. */
  readonly maxBodyBytes: number;
  /** Longest silence of a stream, in milliseconds. */
  readonly pingMs: number;
  /** Time limit in milliseconds for reading a body; 0 or less: none. */
  readonly timeoutMs: number;
  /** Counts the tokens of a text. */
  readonly countTokens: CountTokens;
}

/** A request that is allowed, with its id. */
interface Visit {
  readonly request: Request;
  readonly requestId: string;
  readonly settings: BridgeSettings;
}

type Route = (visit: Visit) => Promise<Response>;

/** Addresses with their methods. */
const ROUTES: Readonly<Record<string, { readonly method: "GET" | "POST"; readonly route: Route }>> =
  {
    "/v1/messages": { method: "POST", route: message },
    "/v1/messages/count_tokens": { method: "POST", route: tokenCount },
    "/v1/models": { method: "GET", route: models },
    "/v1/models/{id}": { method: "GET", route: model },
  };

/** Answers one request: refuses it, or calls the service. */
export async function answer(request: Request, settings: BridgeSettings): Promise<Response> {
  const requestId = sentId(request) ?? `req_${crypto.randomUUID().replaceAll("-", "")}`;
  const refuse = async (problem: Problem) => {
    await request.body?.cancel();
    return errorAnswer(problem, requestId);
  };
  if (!isAllowed(request, settings.token)) {
    const message = "Send the token of the bridge as x-api-key, or as a bearer token";
    return await refuse({ status: 401, message });
  }
  const path = new URL(request.url).pathname.replace(/^\/v1\/models\/[^/]+$/, "/v1/models/{id}");
  const match = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
  if (match === undefined) {
    return await refuse({ status: 404, message: "The bridge has nothing at this address" });
  }
  if (request.method !== match.method) {
    const message = `Send ${match.method} to this address`;
    return await refuse({ status: 405, message, headers: { allow: match.method } });
  }
  try {
    return await match.route({ request, requestId, settings });
  } catch (error) {
    return errorAnswer(problemOf(error), requestId);
  }
}

/** True when the request has the token. Takes as long for any other text of its length. */
function isAllowed({ headers }: Request, token: string): boolean {
  const bearer = /^bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  const expected = digest(token);
  return [headers.get("x-api-key"), bearer].some((sent) =>
    typeof sent === "string" && timingSafeEqual(digest(sent), expected)
  );
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

async function message(visit: Visit): Promise<Response> {
  const accepted = await read(visit);
  if (accepted instanceof Response) return accepted;
  if (accepted.stream) return await streamed(accepted, visit);
  const { request, requestId, settings: { messages } } = visit;
  const turn = await messages.create(accepted.request, { requestId, signal: request.signal });
  const { requestId: _, content, ...rest } = turn;
  const shown = accepted.hidesThinking
    ? content.map((block) => block.type === "thinking" ? { ...block, thinking: "" } : block)
    : content;
  return answerOf({ ...rest, content: shown }, { ...visit, accepted });
}

async function streamed(
  accepted: AcceptedRequest,
  { request: { signal }, requestId, settings: { messages, pingMs } }: Visit,
): Promise<Response> {
  const { hidesThinking, request } = accepted;
  const events = messages.stream(request, { requestId, signal });
  const frames = new EventFrames(events, { requestId, pingMs, hidesThinking });
  await frames.opened();
  return new Response(new ReadableStream(frames, { highWaterMark: 0 }), {
    headers: {
      ...headersOf(requestId, accepted),
      "content-type": "text/event-stream; charset=utf-8",
    },
  });
}

async function tokenCount(visit: Visit): Promise<Response> {
  const accepted = await read(visit);
  if (accepted instanceof Response) return accepted;
  const { countTokens } = visit.settings;
  const input_tokens = await inputTokens(accepted.request, countTokens);
  return answerOf({ input_tokens }, { ...visit, accepted });
}

function models(visit: Visit): Promise<Response> {
  const page = { has_more: false, first_id: AUTO.id, last_id: AUTO.id };
  return Promise.resolve(answerOf({ data: [AUTO], ...page }, visit));
}

function model(visit: Visit): Promise<Response> {
  return Promise.resolve(answerOf(AUTO, visit));
}

/** The one model: any name leads to it. */
const AUTO = {
  ...{ type: "model", id: MODEL_AUTO, display_name: "Chosen by the service" },
  // Anthropic's value for an unknown date.
  created_at: "1970-01-01T00:00:00Z",
  ...{ capabilities: null, max_input_tokens: null, max_tokens: null },
  ...{ deprecated_at: null, retires_at: null, lifecycle: "active", line: null },
};

function answerOf(
  body: object,
  { accepted, requestId }: Visit & { readonly accepted?: AcceptedRequest },
): Response {
  return Response.json(body, { headers: headersOf(requestId, accepted) });
}

/** Returns the headers of an answer. They name the fields that were left out, so that one can look. */
function headersOf(requestId: string, accepted?: AcceptedRequest): Record<string, string> {
  const leftOut = accepted?.leftOut.filter((name) => /^\w{1,64}$/.test(name)) ?? [];
  return {
    "cache-control": "no-store",
    "request-id": requestId,
    ...(leftOut.length === 0 ? {} : { "x-left-out": leftOut.slice(0, 32).join(", ") }),
  };
}

/** Returns the request in the body, or the refusal of it. */
async function read(visit: Visit): Promise<AcceptedRequest | Response> {
  const { request, requestId, settings: { maxBodyBytes, timeoutMs } } = visit;
  const refusal = headProblem(request);
  if (refusal !== undefined) {
    await request.body?.cancel();
    return errorAnswer(refusal, requestId);
  }
  const limit = new CallLimit({ timeoutMs, signal: request.signal });
  const came = await bodyOf(request, { limit, maxBytes: maxBodyBytes });
  limit.end();
  if (!(came instanceof Uint8Array)) {
    const { message, status } = ERROR_TABLE[came.code];
    return errorAnswer({ status, message: came.message ?? message }, requestId);
  }
  const body = objectIn(came);
  if (body === undefined) {
    return errorAnswer({ status: 400, message: "Send a JSON object as the body" }, requestId);
  }
  if (body["thread"] !== undefined && body["thread"] !== null) {
    return errorAnswer(UNTHREADED, requestId);
  }
  if (!Array.isArray(body["messages"])) {
    return errorAnswer({ status: 400, message: "Send messages: a list" }, requestId);
  }
  return acceptedRequest(body);
}

/** Tells the client's tool runner to send conversations whole: none is kept. */
const UNTHREADED: Problem = {
  status: 400,
  message: "Send the whole conversation: none is kept here",
  details: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
};

function headProblem({ headers }: Request): Problem | undefined {
  if (!/^application\/json\s*(;|$)/i.test(headers.get("content-type") ?? "")) {
    return { status: 415, message: 'Send the body as "Content-Type: application/json"' };
  }
  const coding = headers.get("content-encoding") ?? "identity";
  return coding.trim().toLowerCase() === "identity"
    ? undefined
    : { status: 415, message: "Send the body uncompressed" };
}
