import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Attempted, NoticeMessage } from "../domain/notices/delivery.ts";
import { type SendPinned, sendPinned } from "../guarded_fetch/mod.ts";
import { isUnreadable } from "../ports/fetch_image.ts";
import { retryAfterMsOf } from "../system/retry_after.ts";
import { addressOf, type PlacePolicy, readPlace } from "./place.ts";

/** Prefix of the secrets of webhooks, as Standard Webhooks has it. */
export const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** Options of one attempt. */
type AttemptOptions = HttpOptions & { readonly nowMs: number; readonly signal: AbortSignal };

/** Options of HTTP targets. */
export interface HttpOptions extends PlacePolicy {
  /** @default {sendPinned} */
  readonly send?: SendPinned | undefined;
}

/** One POST. */
interface Post {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns a new secret for the signatures of a webhook. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return SECRET_PREFIX + bytes.toBase64();
}

/**
 * Sends a message to a webhook, signed as Standard Webhooks 1.0.0 says: HMAC-SHA-256 over id, time
 * and body. The id is that of the message; a repeated message has the same.
 */
export function sendWebhook(
  { url, secret }: { readonly url: string; readonly secret: string },
  message: NoticeMessage,
  options: AttemptOptions,
): Promise<Attempted> {
  const body = webhookBody(message);
  const timestamp = String(Math.floor(options.nowMs / 1_000));
  const headers = {
    "webhook-id": message.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatureOf(secret, `${message.id}.${timestamp}.${body}`),
  };
  return post({ url, body, headers }, options);
}

/** Sends a message to a hook that takes Slack's format, as Mattermost and Discord do too. */
export function sendSlack(
  { url }: { readonly url: string },
  message: NoticeMessage,
  options: AttemptOptions,
): Promise<Attempted> {
  const mark = message.phase === "ended"
    ? "Resolved"
    : message.phase === "began"
    ? "Alert"
    : "Test";
  const text = `*${mark}* \`${message.type}\` ${escaped(message.text)}\n_${message.id}_`;
  return post({ url, body: JSON.stringify({ text }), headers: {} }, options);
}

/** Returns the body of a webhook. */
export function webhookBody(message: NoticeMessage): string {
  const { id, type, incident, phase, number, subject, text, facts, atMs } = message;
  const timestamp = new Date(atMs).toISOString();
  return JSON.stringify({
    type,
    timestamp,
    data: { id, incident, phase, number, subject, text, facts },
  });
}

function signatureOf(secret: string, content: string): string {
  const key = Uint8Array.fromBase64(secret.slice(SECRET_PREFIX.length));
  return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
}

/** Escapes what Slack reads as a mention or a link. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Sends a POST. A redirect is a failure, so that no other host receives the message. */
async function post(
  { url: text, body, headers }: Post,
  options: AttemptOptions,
): Promise<Attempted> {
  const { signal, send = sendPinned } = options;
  const url = readPlace(text, options);
  if (isUnreadable(url)) return { ok: false, problem: `Not sent: ${url.problem}` };
  const address = await addressOf(url, options, signal);
  if (typeof address !== "string") return { ok: false, problem: `Not sent: ${address.problem}` };
  const response = await send({
    ...{ url, address, signal, body },
    headers: {
      ...headers,
      "content-type": "application/json",
      "content-length": String(new TextEncoder().encode(body).length),
      "user-agent": "svc-gateway",
      connection: "close",
    },
  });
  response.destroy();
  return attemptedOf(response, options.nowMs);
}

function attemptedOf(
  { statusCode: status = 0, headers }: IncomingMessage,
  nowMs: number,
): Attempted {
  if (status >= 200 && status < 300) return { ok: true };
  const { "retry-after": after } = headers;
  const retryAfterMs = after === undefined
    ? undefined
    : retryAfterMsOf(new Headers({ "retry-after": after }), nowMs);
  return {
    ok: false,
    problem: `The receiver answered with status ${status}`,
    ...(status === 410 ? { gone: true } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
