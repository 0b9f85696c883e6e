import type { Attempted, NoticeMessage } from "../domain/notices/delivery.ts";
import type { MailRoute } from "../domain/notices/target.ts";
import { literalOf, nameOf } from "../guarded_fetch/mod.ts";
import { isUnreadable } from "../ports/fetch_image.ts";
import { addressOf, type PlacePolicy, readMailHost } from "./place.ts";

/** Longest wait for an answer of the mail server, in milliseconds. */
const ANSWER_MS = 10_000;

/**
 * Sends a message by SMTP, to the checked address of the server. Its `Message-ID` is made of the
 * message's id, so that a repeated letter can be recognised. The library is loaded with the first
 * letter.
 */
export async function sendEmail(
  { mail }: { readonly mail: MailRoute },
  message: NoticeMessage,
  options: PlacePolicy & { readonly signal: AbortSignal },
): Promise<Attempted> {
  const url = readMailHost(mail, options);
  if (isUnreadable(url)) return { ok: false, problem: `Not sent: ${url.problem}` };
  const host = await addressOf(url, options, options.signal);
  if (typeof host !== "string") return { ok: false, problem: `Not sent: ${host.problem}` };
  const { createTransport } = await import("nodemailer");
  const { user, password = "", security } = mail;
  const transport = createTransport({
    ...{ host, port: mail.port, name: "svc-gateway" },
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(user === undefined ? {} : { auth: { user, pass: password } }),
    ...(literalOf(url) === undefined ? { tls: { servername: nameOf(url) } } : {}),
    ...{ connectionTimeout: ANSWER_MS, greetingTimeout: ANSWER_MS, socketTimeout: ANSWER_MS },
    ...{ dnsTimeout: ANSWER_MS, disableFileAccess: true, disableUrlAccess: true },
  });
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  // The library cannot be stopped; its own limits end what is left of it.
  const stop = () => reject(options.signal.reason);
  options.signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([transport.sendMail(letterOf(mail, message)), aborted]);
    return { ok: true };
  } finally {
    options.signal.removeEventListener("abort", stop);
    transport.close();
  }
}

function letterOf({ from, to }: MailRoute, message: NoticeMessage) {
  const { id, type, phase, text, facts, atMs } = message;
  const mark = phase === "ended" ? "Resolved: " : phase === "test" ? "Test: " : "";
  const lines = Object.entries(facts).map(([name, value]) => `${name}: ${value}`);
  const about = [`type: ${type}`, `incident: ${message.incident}`, `message: ${id}`, ...lines];
  return {
    ...{ from, to: [...to], date: new Date(atMs), messageId: `<${id}@svc-gateway>` },
    subject: `[svc] ${mark}${text}`.slice(0, 200),
    text: `${text}\n\n${about.join("\n")}\n`,
    headers: {
      "Auto-Submitted": "auto-generated",
      References: `<${message.incident}@svc-gateway>`,
    },
  };
}
