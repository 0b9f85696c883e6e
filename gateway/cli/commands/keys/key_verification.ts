import type { AnswerOf } from "../../../admin_api/operations.ts";
import { callWithKey } from "../../../admin_api/verification_call.ts";
import type { Call } from "../../command.ts";
import { CliFailure } from "../../failures.ts";
import { timeText } from "../../output/field_text.ts";

type Verification = AnswerOf<"POST /keys/{id}/verify">;
type LoggedRequest = AnswerOf<"GET /requests">["requests"][number];

const OWN_CALL =
  "; make one that its policy allows, with an X-Request-ID of your choice, and find " +
  "it by `svc keys confirm`";

/**
 * Returns the public base URL: `--url`, else `SERVICE_PUBLIC_URL`, else the gateway's own
 * statement.
 */
export async function publicUrlOf(call: Call): Promise<string> {
  const setting = call.option("url") ?? call.io.env.SERVICE_PUBLIC_URL;
  const url = setting || ((await call.client.call("GET /service")).publicUrl ?? "");
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
  { key, requestId }: { readonly key: string; readonly requestId: string },
): Promise<LoggedRequest> {
  const query = { key, request_id: requestId, limit: "50" };
  const { requests } = await client.call("GET /requests", { query });
  const success = requests.find(({ outcome }) => outcome === "ok");
  if (success !== undefined) return success;
  const [failed] = requests;
  throw new CliFailure(
    failed === undefined
      ? `The log has no request "${requestId}" of key "${key}"`
      : `Request "${requestId}" of key "${key}" failed: ${failed.status} ` +
        (failed.errorCode ?? failed.outcome),
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
  key: AnswerOf<"GET /keys/{id}">,
  since: string,
): Promise<KeyUses> {
  const query = { key: key.id, since, limit: COUNTED };
  const { requests, cursor } = await client.call("GET /requests", { query });
  return { lastUsedAt: key.lastUsedAt, since, requests: requests.length, more: cursor !== null };
}

/** Formats the uses of a key. */
export function usesText({ requests, more, since, lastUsedAt }: KeyUses): string {
  const count = `${requests}${more ? " or more" : ""} ${requests === 1 ? "request" : "requests"}`;
  const last = timeText(lastUsedAt);
  const start = timeText(since);
  return `${last === "" ? "never used" : `last used ${last}`}; ${count} ${
    start === "" ? `in the last ${since}` : `since ${start}`
  }`;
}
