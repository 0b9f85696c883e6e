import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { Webhook } from "standardwebhooks";
import type { NoticeMessage } from "../domain/notices/delivery.ts";
import type { MailRoute, NoticeTarget, TargetPlace } from "../domain/notices/target.ts";
import type { PinnedRequest } from "../guarded_fetch/mod.ts";
import { readMailHost } from "./place.ts";
import { createSend } from "./send.ts";
import { newSecret, sendWebhook } from "./webhook.ts";

const PUBLIC = "93.184.215.14";
const NOW_MS = Date.UTC(2026, 10, 21, 12);
const MESSAGE: NoticeMessage = {
  ...{ id: "inc_1_1", type: "wallet.low", incident: "inc_1", phase: "began", number: 1 },
  ...{ subject: "team", text: "Wallet <team> & co. is low", facts: { wallet: "team" } },
  atMs: NOW_MS,
};

function targetOf(place: TargetPlace): NoticeTarget {
  return { id: "tgt_1", name: "Ops", place, createdAtMs: 0 };
}

function answerOf(status: number, headers: Record<string, string> = {}): IncomingMessage {
  const response = new IncomingMessage(new Socket());
  response.statusCode = status;
  response.headers = headers;
  return response;
}

/** A sender whose requests are written down instead of sent. */
function sender(
  options: {
    readonly addresses?: readonly string[];
    readonly trustedHosts?: readonly string[];
    readonly status?: number;
    readonly headers?: Record<string, string>;
  } = {},
) {
  const { addresses = [PUBLIC], trustedHosts = [], status = 200, headers } = options;
  const sent: PinnedRequest[] = [];
  const lookups: string[] = [];
  const common = {
    trustedHosts,
    resolve: (name: string) => {
      lookups.push(name);
      return Promise.resolve(addresses);
    },
    send: (request: PinnedRequest) => {
      sent.push(request);
      return Promise.resolve(answerOf(status, headers));
    },
  };
  return { sent, lookups, common, send: createSend({ ...common, nowMs: () => NOW_MS }) };
}

const hook = (url: string) => targetOf({ kind: "webhook", url, secret: newSecret() });

Deno.test("a webhook goes to the checked address, signed so that the reference library accepts it", async () => {
  const { sent, common } = sender();
  const secret = newSecret();
  const nowMs = Date.now();
  const place = { url: "https://hooks.example.com:8443/a?b=c", secret };
  const { signal } = new AbortController();
  assertEquals(await sendWebhook(place, MESSAGE, { ...common, nowMs, signal }), { ok: true });
  const [request] = sent;
  assertEquals([request?.address, request?.url.href], [PUBLIC, place.url]);
  const { body = "", headers = {} } = request ?? {};
  const read = new Webhook(secret).verify(body, { ...headers });
  assertEquals(Object(read).data.incident, "inc_1");
  assertEquals(headers["webhook-id"], MESSAGE.id);
  assertEquals(headers["content-length"], String(new TextEncoder().encode(body).length));
});

Deno.test("nothing is sent to an address that is not public, however it is written", async () => {
  for (const address of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00::1"]) {
    for (const addresses of [[address], [PUBLIC, address]]) {
      const { sent, send } = sender({ addresses });
      const attempted = await send(hook("https://hooks.example.com/"), MESSAGE);
      assert(!attempted.ok && attempted.problem.includes("SERVICE_NOTIFY_HOSTS"), address);
      assertEquals(sent, []);
    }
  }
  // A target may be older than the rule that refuses it.
  for (const url of ["https://127.0.0.1/", "https://2130706433/", "http://hooks.example.com/"]) {
    const { sent, lookups, send } = sender();
    assertEquals((await send(hook(url), MESSAGE)).ok, false, url);
    assertEquals([sent.length, lookups.length], [0, 0]);
  }
});

Deno.test("a host that the process was started with may be private, and no metadata service", async () => {
  const trustedHosts = ["hooks.internal", "10.0.0.7", "169.254.169.254"];
  const near = sender({ trustedHosts, addresses: ["10.0.0.7"] });
  assert((await near.send(hook("http://hooks.internal:9000/"), MESSAGE)).ok);
  assert((await near.send(hook("http://10.0.0.7/"), MESSAGE)).ok);
  assertEquals(near.sent.map(({ address }) => address), ["10.0.0.7", "10.0.0.7"]);
  const cloud = sender({ trustedHosts, addresses: ["169.254.169.254"] });
  assertEquals((await cloud.send(hook("http://hooks.internal/"), MESSAGE)).ok, false);
  assertEquals((await cloud.send(hook("http://169.254.169.254/"), MESSAGE)).ok, false);
  assertEquals((await cloud.send(hook("http://sub.hooks.internal/"), MESSAGE)).ok, false);
  assertEquals(cloud.sent, []);
});

Deno.test("mail goes to no private server", async () => {
  const { send } = sender({ addresses: ["10.0.0.1"] });
  for (const host of ["smtp.example.com", "127.0.0.1", "localhost", "[::1]"]) {
    const mail: MailRoute = {
      ...{ host, port: 25, security: "starttls", from: "a@example.com", to: ["b@example.com"] },
    };
    const attempted = await send(targetOf({ kind: "email", mail }), MESSAGE);
    assert(!attempted.ok && attempted.problem.startsWith("Not sent"), host);
  }
});

Deno.test("mail without encryption goes to named hosts only", async () => {
  for (const login of [{}, { user: "svc", password: "quiet" }]) {
    const mail: MailRoute = {
      ...{ host: "smtp.example.com", port: 25, security: "none", ...login },
      ...{ from: "a@example.com", to: ["b@example.com"] },
    };
    const { lookups, send } = sender();
    const attempted = await send(targetOf({ kind: "email", mail }), MESSAGE);
    assert(!attempted.ok);
    assertStringIncludes(attempted.problem, "use tls or starttls");
    assertEquals(lookups, []);
    const policy = { trustedHosts: ["smtp.example.com"] };
    assertEquals(readMailHost(mail, policy), new URL("https://smtp.example.com:25/"));
  }
});

Deno.test("an answer decides: accepted, tried again, later, or given up", async () => {
  const attempt = (status: number, headers?: Record<string, string>) =>
    sender({ status, ...headers === undefined ? {} : { headers } })
      .send(hook("https://hooks.example.com/"), MESSAGE);
  assertEquals(await attempt(204), { ok: true });
  const failed = (status: number) => `The receiver answered with status ${status}`;
  assertEquals(await attempt(302), { ok: false, problem: failed(302) });
  assertEquals(await attempt(429, { "retry-after": "60" }), {
    ...{ ok: false, problem: failed(429), retryAfterMs: 60_000 },
  });
  const inAMinute = new Date(NOW_MS + 60_000).toUTCString();
  assertEquals(await attempt(503, { "retry-after": inAMinute }), {
    ...{ ok: false, problem: failed(503), retryAfterMs: 60_000 },
  });
  assertEquals(await attempt(503, { "retry-after": "soon" }), { ok: false, problem: failed(503) });
  assertEquals(await attempt(410), { ok: false, problem: failed(410), gone: true });
});

Deno.test("a receiver that does not answer is left, and so is any when the service stops", async () => {
  const common = {
    trustedHosts: [],
    nowMs: () => NOW_MS,
    resolve: () => Promise.resolve([PUBLIC]),
    send: ({ signal }: PinnedRequest) =>
      new Promise<never>((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  };
  const target = hook("https://hooks.example.com/");
  const late = await createSend({ ...common, attemptMs: 5 })(target, MESSAGE);
  assert(!late.ok);
  assertStringIncludes(late.problem, "took longer than");
  const stop = new AbortController();
  const sending = createSend(common)(target, MESSAGE, stop.signal);
  stop.abort();
  assertEquals(await sending, { ok: false, problem: "The gateway stopped meanwhile" });
});

Deno.test("a name or a text cannot become a mention or a link in Slack's format", async () => {
  const { sent, send } = sender();
  await send(targetOf({ kind: "slack", url: "https://hooks.slack.com/x" }), MESSAGE);
  const { text } = JSON.parse(sent[0]?.body ?? "");
  assertStringIncludes(text, "Wallet &lt;team&gt; &amp; co. is low");
});
