import { checkRequest } from "../call.ts";
import { CallLimit } from "../call_limit.ts";
import { ServiceTimeoutError } from "../errors.ts";
import { OneTimeBody } from "../one_time_body.ts";
import { askedDialect, DIALECT_HEADER } from "../protocol/mod.ts";
import { answerOf } from "./answer.ts";
import { type Refusal, refused } from "./refusal.ts";
import { bodyOf, headRefusal, objectIn, type ProxyBody, sentId } from "./request.ts";

/** Settings of a proxy: destination, credentials and checks. */
export interface ProxySettings {
  /** Address of the service for every request. */
  readonly url: string;
  /** Headers of every request, with the key. */
  readonly headers: Headers;
  /** The key. */
  readonly secret: string;
  /** Sends the requests. */
  readonly fetch: typeof fetch;
  /** Time limit in milliseconds for the whole request; 0 or less: none. */
  readonly timeoutMs: number;
  /** Longest accepted body, in bytes. */
  readonly maxBodyBytes: number;
  /** Names of the browser's headers to pass on. */
  readonly forwardHeaders: readonly string[];
  /** The application's check. */
  readonly authorize: (request: Request) => boolean | Response | Promise<boolean | Response>;
  /** The application's change of the body. */
  readonly transform?:
    | ((body: ProxyBody, request: Request) => ProxyBody | Response | Promise<ProxyBody | Response>)
    | undefined;
}

/** A request that passed the checks. */
interface Passage {
  readonly request: Request;
  readonly requestId: string;
  readonly settings: ProxySettings;
  readonly limit: CallLimit;
}

/** Answers one request: refuses it, or calls the service. */
export async function handle(request: Request, settings: ProxySettings): Promise<Response> {
  const requestId = sentId(request) ?? `req_${crypto.randomUUID().replaceAll("-", "")}`;
  const refusal = headRefusal(request);
  if (refusal !== undefined) return await turnedAway(request, refused(refusal, requestId));
  const allowed = await settings.authorize(request);
  if (allowed instanceof Response) return await turnedAway(request, allowed);
  if (allowed !== true) {
    const message = "The application does not allow this request";
    return await turnedAway(request, refused({ code: "policy_denied", message }, requestId));
  }
  const limit = new CallLimit({ timeoutMs: settings.timeoutMs });
  const leave = () => limit.end();
  request.signal.addEventListener("abort", leave, { once: true });
  if (request.signal.aborted) leave();
  try {
    return await pass({ request, requestId, settings, limit });
  } catch (error) {
    limit.end();
    throw error;
  }
}

/** Cancels a body that is not needed. */
async function turnedAway({ body }: Request, answer: Response): Promise<Response> {
  if (body !== null && !body.locked) await body.cancel();
  return answer;
}

async function pass(passage: Passage): Promise<Response> {
  const { limit, request, requestId, settings } = passage;
  const came = await bodyOf(request, { limit, maxBytes: settings.maxBodyBytes });
  const body = came instanceof Uint8Array ? await transformed(came, passage) : came;
  if (body instanceof Uint8Array) return await ask(body, passage);
  limit.end();
  return body instanceof Response ? body : refused(body, requestId);
}

/** Returns the body to send. Errors of the application's function are thrown to the application. */
async function transformed(
  came: Uint8Array<ArrayBuffer>,
  { request, settings: { transform } }: Passage,
): Promise<Uint8Array<ArrayBuffer> | Refusal | Response> {
  if (transform === undefined) return came;
  const body = objectIn(came);
  if (body === undefined) {
    return { code: "invalid_request", message: "Send a JSON object as the body" };
  }
  const changed = await transform(body, request);
  if (changed instanceof Response) return changed;
  checkRequest(changed);
  return new TextEncoder().encode(JSON.stringify(changed));
}

async function ask(body: Uint8Array<ArrayBuffer>, passage: Passage): Promise<Response> {
  const { limit, request, requestId, settings: { fetch, secret, url, ...settings } } = passage;
  const headers = new Headers(settings.headers);
  headers.set("accept", request.headers.get("accept") ?? "*/*");
  headers.set("content-type", "application/json");
  headers.set("x-request-id", requestId);
  for (const name of settings.forwardHeaders) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  // The browser's code reads the answer, unless the application states another dialect.
  const dialect = askedDialect(request.headers);
  if (dialect !== undefined && !headers.has(DIALECT_HEADER)) headers.set(DIALECT_HEADER, dialect);
  try {
    // Following a redirect could send the key to another host.
    const sent: RequestInit = { body: new OneTimeBody(body), redirect: "manual" };
    const init: RequestInit = { method: "POST", headers, ...sent };
    const response = await limit.guard(fetch(url, { ...init, signal: limit.signal }));
    return await answerOf(response, { limit, requestId, secret });
  } catch (error) {
    const isLate = limit.explain(error) instanceof ServiceTimeoutError;
    limit.end();
    return refused(
      isLate
        ? { code: "upstream_timeout", message: "The service took too long" }
        : { code: "upstream_error", message: "The service could not be reached" },
      requestId,
    );
  }
}
