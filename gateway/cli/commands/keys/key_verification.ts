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
  const made = await callWithKey({ fetch: call.io.fetch, ...sent });
  if (made.ok) return { requestId, url, model: made.model, charged: made.charged };
  if (made.reason === "unreachable") {
    const where = new URL(url).origin;
    throw new CliFailure(`Cannot reach the service at ${where}: give its address by --url`, {
      cause: made.cause,
    });
  }
  const advice = made.reason === "denied" ? OWN_CALL : "";
  throw new CliFailure(
    `The call with this key was refused: ${made.message} (request ${requestId})${advice}`,
  );
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
