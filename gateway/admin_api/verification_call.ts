import { z } from "zod";

/** Result of a call with a key. */
export type VerificationCall =
  | {
    readonly ok: true;
    readonly model: string;
    /** Credits, decimal string. */
    readonly charged: string;
  }
  | {
    readonly ok: false;
    /** `denied`: the key's policy allows none of the calls that are tried. */
    readonly reason: "refused" | "denied";
    /** Message of the refusal. */
    readonly message: string;
  }
  | { readonly ok: false; readonly reason: "unreachable"; readonly cause: unknown };

/** A call that shows that a key works. */
export interface VerificationRequest {
  readonly fetch: (address: string, init: RequestInit) => Promise<Response>;
  /** Base URL that applications call. */
  readonly url: string;
  readonly key: string;
  /** `X-Request-ID`, under which the log has it. */
  readonly requestId: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The smallest real calls, in the order in which they are tried: a policy may allow only one of
 * them.
 */
const CALLS = [
  ["chat/completions", { messages: [{ role: "user", content: "Say OK" }], max_tokens: 16 }],
  ["responses", { input: "Say OK", max_output_tokens: 16, store: false }],
] as const;

const answered = z.object({
  model: z.string().catch(""),
  metadata: z.object({ billing: z.object({ charged: z.string() }) })
    .catch({ billing: { charged: "" } }),
});
const refused = z.object({ error: z.object({ message: z.string(), code: z.string().nullish() }) });

/** Returns a new request id, under which the call can be found in the log. */
export function newRequestId(): string {
  return `verify_${crypto.randomUUID()}`;
}

/** Makes one real call with a key, as applications do. */
export async function callWithKey(request: VerificationRequest): Promise<VerificationCall> {
  let denied = "";
  for (const [path, body] of CALLS) {
    let response: Response;
    let text: string;
    try {
      response = await send(request, path, body);
      text = await response.text();
    } catch (cause) {
      return { ok: false, reason: "unreachable", cause };
    }
    if (response.ok) {
      const { model, metadata } = answered.parse(objectOf(text));
      return { ok: true, model, charged: metadata.billing.charged };
    }
    const { error } = refused.catch({ error: { message: "What answers is not the gateway" } })
      .parse(objectOf(text));
    if (error.code !== "policy_denied") {
      return { ok: false, reason: "refused", message: error.message };
    }
    denied = error.message;
  }
  return { ok: false, reason: "denied", message: denied };
}

function send(
  { fetch, url, key, requestId, signal }: VerificationRequest,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Response> {
  return fetch(`${url}/openai/v1/${path}`, {
    method: "POST",
    headers: {
      "authorization": `Bearer ${key}`,
      "x-request-id": requestId,
      "content-type": "application/json",
    },
    body: JSON.stringify({ model: "auto", ...body }),
    // A redirect could send the key to another host.
    redirect: "error",
    signal: signal ?? null,
  });
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
