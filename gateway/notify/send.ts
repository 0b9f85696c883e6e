import type { Attempted, NoticeMessage } from "../domain/notices/delivery.ts";
import type { NoticeTarget } from "../domain/notices/target.ts";
import { reasonOf } from "../system/reason.ts";
import { sendEmail } from "./email.ts";
import { type HttpOptions, sendSlack, sendWebhook } from "./webhook.ts";

/**
 * Maximum time of one attempt, in milliseconds: below `LEASE_SAFE_MS`, so that an attempt ends before
 * another instance can become the sender.
 */
export const ATTEMPT_MS = 15_000;

/** Sends a message to a target; resolves also where that fails. Aborting the signal ends it. */
export type Send = (
  target: NoticeTarget,
  message: NoticeMessage,
  signal?: AbortSignal,
) => Promise<Attempted>;

/** Returns the sender of messages to targets of all kinds. */
export function createSend(
  options: HttpOptions & { readonly nowMs: () => number; readonly attemptMs?: number },
): Send {
  const attemptMs = options.attemptMs ?? ATTEMPT_MS;
  return async ({ place }, message, ended) => {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), attemptMs);
    const signal = ended === undefined ? limit.signal : AbortSignal.any([limit.signal, ended]);
    try {
      if (place.kind === "email") return await sendEmail(place, message, { ...options, signal });
      const http = { ...options, signal, nowMs: options.nowMs() };
      if (place.kind === "slack") return await sendSlack(place, message, http);
      return await sendWebhook(place, message, http);
    } catch (error) {
      if (ended?.aborted) return { ok: false, problem: "The gateway stopped meanwhile" };
      if (signal.aborted) {
        return { ok: false, problem: `The receiver took longer than ${attemptMs / 1_000} s` };
      }
      return { ok: false, problem: `It could not be reached: ${reasonOf(error)}` };
    } finally {
      clearTimeout(timer);
    }
  };
}
