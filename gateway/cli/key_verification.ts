import type { Call } from "./command.ts";
import { CliFailure } from "./io.ts";
import { isObject, type Row, rowOf, rowsOf, textOf, timeOf } from "./json_fields.ts";

/** A call that was made with a key. */
export interface Verification {
  readonly requestId: string;
  readonly url: string;
  readonly model: string;
  /** Credits, decimal string. */
  readonly charged: string;
}

/** The smallest real calls, in the order they are tried: a policy may allow one of them only. */
const CALLS = [
  ["chat/completions", { messages: [{ role: "user", content: "Say OK" }], max_tokens: 16 }],
  ["responses", { input: "Say OK", max_output_tokens: 16, store: false }],
] as const;

const OWN_CALL = "; make one that its policy allows, with an X-Request-ID of your own, and find " +
  "it by `svc keys confirm`";

/** A request id for a call that is made to be found again. */
export function newRequestId(): string {
  return `verify_${crypto.randomUUID()}`;
}

/** Where applications call: `--url`, else `SERVICE_PUBLIC_URL`, else what the gateway says. */
export async function publicUrlOf(call: Call): Promise<string> {
  const given = call.option("url") ?? call.io.env.SERVICE_PUBLIC_URL;
  const url = given || textOf(await call.client.get("/service"), "publicUrl");
  const base = url.replace(/\/+$/, "");
  if (/^https?:\/\//.test(base) && URL.canParse(base)) return base;
  throw new CliFailure(`Cannot call the service at "${url}": give an http or https address`);
}

/** Makes one real call with a key. Throws a {@linkcode CliFailure} where it is not answered. */
export async function verifyKey(
  call: Call,
  sent: { readonly key: string; readonly url: string; readonly requestId: string },
): Promise<Verification> {
  const { requestId, url } = sent;
  let refusal = "";
  let advice = "";
  for (const [path, body] of CALLS) {
    const { ok, answer } = await post(call, `${url}/openai/v1/${path}`, { ...sent, body });
    if (ok) {
      const metadata = rowOf(answer, "metadata");
      return {
        requestId,
        url,
        model: textOf(answer, "model"),
        charged: textOf(rowOf(metadata, "billing"), "charged"),
      };
    }
    const error = rowOf(answer, "error");
    refusal = textOf(error, "message") || "What answers is not the gateway";
    advice = error.code === "policy_denied" ? OWN_CALL : "";
    if (advice === "") break;
  }
  throw new CliFailure(
    `The call with this key was refused: ${refusal} (request ${requestId})${advice}`,
  );
}

async function post(
  { io }: Call,
  address: string,
  sent: { readonly key: string; readonly requestId: string; readonly body: Row },
): Promise<{ readonly ok: boolean; readonly answer: Row }> {
  const headers = {
    "authorization": `Bearer ${sent.key}`,
    "x-request-id": sent.requestId,
    "content-type": "application/json",
  };
  const body = JSON.stringify({ model: "auto", ...sent.body });
  let response: Response;
  let text: string;
  try {
    // A redirect would carry the key somewhere else.
    response = await io.fetch(address, { method: "POST", headers, body, redirect: "error" });
    text = await response.text();
  } catch (cause) {
    const where = new URL(address).origin;
    throw new CliFailure(`Cannot reach the service at ${where}: give its address by --url`, {
      cause,
    });
  }
  return { ok: response.ok, answer: objectOf(text) };
}

function objectOf(text: string): Row {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The log's row of a key's call that went well. Throws a {@linkcode CliFailure} where there is none. */
export async function confirmedRequest(
  { client }: Call,
  asked: { readonly key: string; readonly requestId: string },
): Promise<Row> {
  const { key, requestId } = asked;
  const found = rowsOf(
    await client.get("/requests", { key, request_id: requestId, limit: "50" }),
    "requests",
  );
  const good = found.find((request) => request.outcome === "ok");
  if (good !== undefined) return good;
  const [failed] = found;
  throw new CliFailure(
    failed === undefined
      ? `The log has no request "${requestId}" of key "${key}"`
      : `Request "${requestId}" of key "${key}" failed: ${textOf(failed, "status")} ` +
        (textOf(failed, "errorCode") || textOf(failed, "outcome")),
  );
}

/** What a key has been used for since a time. */
export interface KeyUses {
  readonly lastUsedAt: string | null;
  readonly since: string;
  readonly requests: number;
  /** There are more than were counted. */
  readonly more: boolean;
}

/** Most requests that are counted: it matters whether there are any. */
const COUNTED = "500";

/** Looks for what a key is still used for. */
export async function usesOf(
  { client }: Call,
  key: Row,
  since: string,
): Promise<KeyUses> {
  const page = await client.get("/requests", { key: textOf(key, "id"), since, limit: COUNTED });
  return {
    lastUsedAt: textOf(key, "lastUsedAt") || null,
    since,
    requests: rowsOf(page, "requests").length,
    more: page.cursor !== null,
  };
}

/** Uses in words. */
export function usesText(uses: KeyUses): string {
  const { requests, more, since } = uses;
  const count = `${requests}${more ? " or more" : ""} ${requests === 1 ? "request" : "requests"}`;
  const last = timeOf({ ...uses }, "lastUsedAt");
  const begun = timeOf({ ...uses }, "since");
  return `${last === "" ? "never used" : `last used ${last}`}; ${count} ${
    begun === "" ? `in the last ${since}` : `since ${begun}`
  }`;
}
