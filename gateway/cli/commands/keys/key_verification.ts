import { callWithKey } from "../../../admin_api/verification_call.ts";
import type { Call } from "../../command.ts";
import { CliFailure } from "../../failures.ts";
import { type Row, rowsOf, textOf, timeOf } from "../../output/json_fields.ts";

/** A call that was made with a key. */
export interface Verification {
  readonly requestId: string;
  readonly url: string;
  readonly model: string;
  /** Credits, decimal string. */
  readonly charged: string;
}

const OWN_CALL = "; make one that its policy allows, with an X-Request-ID of your own, and find " +
  "it by `svc keys confirm`";

/**
 * Returns the public base URL: `--url`, else `SERVICE_PUBLIC_URL`, else the gateway's own
 * statement.
 */
export async function publicUrlOf(call: Call): Promise<string> {
  const given = call.option("url") ?? call.io.env.SERVICE_PUBLIC_URL;
  const url = given || textOf(await call.client.get("/service"), "publicUrl");
  const base = url.replace(/\/+$/, "");
  if (/^https?:\/\//.test(base) && URL.canParse(base)) return base;
  throw new CliFailure(`Cannot call the service at "${url}": give an http or https address`);
}

/** Makes one real call with a key. Throws a {@linkcode CliFailure} when it is refused. */
export async function verifyKey(
  call: Call,
  options: { readonly key: string; readonly url: string; readonly requestId: string },
): Promise<Verification> {
  const { requestId, url } = options;
  const result = await callWithKey({ fetch: call.io.fetch, ...options });
  if (result.ok) return { requestId, url, model: result.model, charged: result.charged };
  if (result.reason === "unreachable") {
    const where = new URL(url).origin;
    throw new CliFailure(`Cannot reach the service at ${where}: give its address by --url`, {
      cause: result.cause,
    });
  }
  const advice = result.reason === "denied" ? OWN_CALL : "";
  throw new CliFailure(
    `The call with this key was refused: ${result.message} (request ${requestId})${advice}`,
  );
}

/**
 * Returns the log row of a successful call of a key. Throws a {@linkcode CliFailure} when there is
 * none.
 */
export async function confirmedRequest(
  { client }: Call,
  asked: { readonly key: string; readonly requestId: string },
): Promise<Row> {
  const { key, requestId } = asked;
  const requests = rowsOf(
    await client.get("/requests", { key, request_id: requestId, limit: "50" }),
    "requests",
  );
  const good = requests.find((request) => request.outcome === "ok");
  if (good !== undefined) return good;
  const [failed] = requests;
  throw new CliFailure(
    failed === undefined
      ? `The log has no request "${requestId}" of key "${key}"`
      : `Request "${requestId}" of key "${key}" failed: ${textOf(failed, "status")} ` +
        (textOf(failed, "errorCode") || textOf(failed, "outcome")),
  );
}

/** Uses of a key since a time. */
export interface KeyUses {
  readonly lastUsedAt: string | null;
  readonly since: string;
  readonly requests: number;
  /** True when there are more requests than were counted. */
  readonly more: boolean;
}

/** Maximum number of requests counted: only their presence matters. */
const COUNTED = "500";

/** Counts the uses of a key. */
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

/** Formats the uses of a key. */
export function usesText(uses: Row): string {
  const { requests, more, since } = uses;
  const count = `${requests}${more === true ? " or more" : ""} ${
    requests === 1 ? "request" : "requests"
  }`;
  const last = timeOf(uses, "lastUsedAt");
  const begun = timeOf(uses, "since");
  return `${last === "" ? "never used" : `last used ${last}`}; ${count} ${
    begun === "" ? `in the last ${since}` : `since ${begun}`
  }`;
}
