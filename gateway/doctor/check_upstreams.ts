import { verdictsOf } from "../admin/catalog/catalog_check.ts";
import type { CatalogContent } from "../domain/catalog/catalog.ts";
import { systemClock } from "../system/clock.ts";
import { createUpstream } from "../upstreams/factory.ts";
import { failure, type Finding, ok, skipped, warning } from "./finding.ts";
import { reasonOf } from "../system/reason.ts";
import type { AnswerOf } from "../admin_api/operations.ts";
import type { DoctorContext, ServiceState } from "./context.ts";

type Answer = AnswerOf<"GET /catalog/check">;
/** Without a running service it is not known whether audits can run. */
type Check =
  & Pick<Answer, "upstreams" | "models" | "priceList">
  & Partial<Pick<Answer, "audits">>;

/** Accepted difference from the list price, in percent. */
const TOLERANCE = 5;
/**
 * Clock differences that cause a warning, and that break signatures and tokens, in milliseconds.
 */
const CLOCK_WARNING_MS = 30_000;
const CLOCK_FAILURE_MS = 5 * 60_000;

/** Checks upstreams and prices through the service; else from this process. */
export async function upstreamFindings(
  context: DoctorContext,
  service: ServiceState,
  content: CatalogContent | undefined,
): Promise<Finding[]> {
  let check: Check;
  try {
    if (service.kind === "running") {
      const timeout = String(Math.ceil(context.timeoutMs / 1_000));
      check = await context.ask("GET /catalog/check", { query: { timeout } });
    } else if (content === undefined) return [skipped("upstreams", "There is no valid catalog")];
    else check = await checkHere(content, context);
  } catch (error) {
    return [failure("upstreams", reasonOf(error), "run `svc catalog check`")];
  }
  const upstreams = await Promise.all(
    check.upstreams.map((answer) => {
      const config = content?.upstreams.find(({ id }) => id === answer.id);
      return upstreamFinding(answer, { baseUrl: config?.baseUrl, timeoutMs: context.timeoutMs });
    }),
  );
  return [...upstreams, ...priceFindings(check), ...auditFindings(check)];
}

async function checkHere(content: CatalogContent, { env, timeoutMs, nowMs }: DoctorContext) {
  const deps = { clock: systemClock, env };
  const connect = (config: CatalogContent["upstreams"][number]) => createUpstream(config, deps);
  return await verdictsOf(content, { connect, env, timeoutMs, nowMs, tolerance: TOLERANCE });
}

async function upstreamFinding(
  { id, status, reason, models, variables }: Check["upstreams"][number],
  at: { readonly baseUrl: string | undefined; readonly timeoutMs: number },
): Promise<Finding> {
  const check = `upstream ${id}`;
  const why = reason ?? "";
  if (status === "listed") return ok(check, `It answers, and lists ${models} models`);
  if (status === "unlisted") return ok(check, `It answers; it has no list of models: ${why}`);
  if (status === "no credentials") {
    const names = variables.join(", ");
    return failure(check, why, `set ${names} in the environment of the service`);
  }
  if (status === "refused") {
    return failure(check, why, "check its key: it may be revoked or out of credit");
  }
  const problem = at.baseUrl === undefined ? "" : await connectFailure(at.baseUrl, at.timeoutMs);
  const message = problem === "" ? why : `${why} (${problem})`;
  return failure(check, message, adviceFor(message));
}

/** Returns why a connection fails, in the platform's words; empty when it succeeds. */
async function connectFailure(baseUrl: string, timeoutMs: number): Promise<string> {
  const { hostname: host, port, protocol } = new URL(baseUrl);
  const hostname = host.replace(/^\[|\]$/g, "");
  const isTls = protocol === "https:";
  const dialled = isTls
    ? Deno.connectTls({ hostname, port: Number(port || 443) })
    : Deno.connect({ hostname, port: Number(port || 80) });
  // The TLS handshake runs with the first byte, or on request.
  const greeted = dialled.then(async (connection) => {
    try {
      if ("handshake" in connection) await connection.handshake();
      return "";
    } finally {
      connection.close();
    }
  }).catch(reasonOf);
  const { promise: late, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(() => resolve("the connection timed out"), timeoutMs);
  try {
    return await Promise.race([greeted, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns advice for a connection failure by the platform's message. */
function adviceFor(reason: string): string {
  if (/dns|lookup|name resolution/i.test(reason)) {
    return "check its host name, and this machine's DNS";
  }
  if (/certificate|tls|handshake/i.test(reason)) {
    return "check its certificate, this machine's clock, and proxies in between";
  }
  if (/refused/i.test(reason)) return "nothing listens there: check its baseUrl, and start it";
  if (/not capable|requires net/i.test(reason)) {
    return "permit the process to connect to it by --allow-net";
  }
  return "check its baseUrl, and firewalls and proxies in between";
}

function auditFindings({ audits = null }: Check): Finding[] {
  if (audits === null) return [];
  const advice = "create or fill a wallet without keys for auto.audits.wallet, or leave audits out";
  return [warning("audits", audits, advice)];
}

function priceFindings({ models, priceList }: Check): Finding[] {
  const named = (price: Check["models"][number]["price"]) =>
    models.filter((model) => model.price === price).map(({ id }) => id);
  const findings: Finding[] = [];
  const none = named("none");
  if (none.length > 0) {
    findings.push(failure("prices", `No price: ${none.join(", ")}`, "set one in svc.json"));
  }
  const differing = named("differs");
  if (differing.length > 0) {
    const message = `Different from the list price: ${differing.join(", ")}`;
    findings.push(warning("prices", message, "`svc catalog check` shows the differences"));
  }
  const free = named("free");
  if (free.length > 0) {
    const advice = "set a price, unless they are free";
    findings.push(warning("prices", `Free for every caller: ${free.join(", ")}`, advice));
  }
  if (priceList.old) {
    const message = `The price list is ${priceList.ageDays} days old`;
    findings.push(warning("prices", message, "upgrade svc, or state prices in svc.json"));
  }
  if (findings.length > 0) return findings;
  return [
    ok("prices", `${models.length} models are priced; the list is ${priceList.ageDays} days old`),
  ];
}

/**
 * Compares this machine's clock with those of the upstreams, which send their time with every
 * response.
 */
export async function clockFinding(
  content: CatalogContent | undefined,
  { timeoutMs }: DoctorContext,
): Promise<Finding> {
  const origins = new Set(
    (content?.upstreams ?? []).flatMap(({ baseUrl }) =>
      baseUrl === undefined ? [] : [new URL(baseUrl).origin]
    ),
  );
  const skews = (await Promise.all([...origins].map((origin) => skewOf(origin, timeoutMs))))
    .filter((skew) => skew !== undefined);
  const [first] = skews;
  if (first === undefined) return skipped("clock", "No upstream sent its time");
  // The smallest difference counts: another clock may be wrong itself.
  const skewMs = skews.reduce((a, b) => Math.abs(a) < Math.abs(b) ? a : b, first);
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  const message = `This machine's clock is ${seconds} s ${skewMs < 0 ? "behind" : "ahead"}`;
  const advice = "synchronize it by NTP: the expiry of keys and signed requests depend on it";
  if (Math.abs(skewMs) > CLOCK_FAILURE_MS) return failure("clock", message, advice);
  if (Math.abs(skewMs) > CLOCK_WARNING_MS) return warning("clock", message, advice);
  return ok("clock", `It differs from the upstreams' by at most ${seconds} s`);
}

/** Returns the milliseconds by which the local clock is ahead. */
async function skewOf(origin: string, timeoutMs: number): Promise<number | undefined> {
  try {
    const beforeMs = Date.now();
    const response = await fetch(origin, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    const theirMs = Date.parse(response.headers.get("date") ?? "");
    if (Number.isNaN(theirMs)) return undefined;
    // Their time is truncated to seconds, and was read half-way through the exchange.
    return (beforeMs + Date.now()) / 2 - (theirMs + 500);
  } catch {
    return undefined;
  }
}
