/**
 * Measures that notifications slow no request: a gateway without targets beside the same gateway with
 * receivers that never answer, answer 500, or refuse the connection, while incidents begin and end all
 * the time.
 *
 * @module
 */

import { type Finding, NOTIFIED_MARKS } from "./marks.ts";
import { expectLine, start } from "./process.ts";
import { type Side, sideBySide } from "./side_by_side.ts";
import { type SideGateway, startSide } from "./side_gateway.ts";

const ADMIN_TOKEN = "admin_token_of_the_bench";
/** Time between two changes that begin or end an incident. */
const CHANGE_MS = 500;
/** Marks of the wallet that pays: all it has is below the first. */
const MARKS = ["999999999", "0"] as const;

/** Measures both, and the first once more. */
export async function notified(options: SideGateway): Promise<Finding[]> {
  await using stack = new AsyncDisposableStack();
  const upstream = stack.use(start("tests/bench/upstream_process.ts"));
  const upstreamUrl = await expectLine(upstream, /^http:\S+/);
  const receiver = stack.use(badReceiver());
  const names = ["no targets", "no targets, again", "receivers in trouble"];
  const sides: Side[] = [];
  for (const [at, name] of names.entries()) {
    const gateway = stack.use(
      await startSide(options, {
        ...{ name: `notified-${at}`, upstreamUrl },
        args: ["--admin-token", ADMIN_TOKEN, "--notify-hosts", "127.0.0.1"],
      }),
    );
    const url = await expectLine(gateway, /^ +public +(http:\S+)/);
    const adminUrl = await expectLine(gateway, /^ +admin +(http:\S+)/);
    if (at < names.length - 1) {
      sides.push({ name, url, pid: gateway.pid });
      continue;
    }
    sides.push({ name, url, pid: gateway.pid, marks: NOTIFIED_MARKS });
    for (const path of receiver.paths) await addTarget(adminUrl, path);
    stack.defer(keepChanging(adminUrl));
  }
  const findings = await sideBySide("notified", sides, options);
  const got = receiver.count();
  options.say(`the receivers in trouble got ${got} messages`);
  if (got === 0) throw new Error("Cannot measure: nobody was notified");
  return findings;
}

interface Receiver extends AsyncDisposable {
  readonly paths: readonly string[];
  readonly count: () => number;
}

/** A server that answers 500 at one path, never at another; a third address refuses connections. */
function badReceiver(): Receiver {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(options, async (request) => {
    await request.text();
    count++;
    if (request.url.endsWith("/slow")) await end;
    return new Response(null, { status: 500 });
  });
  const base = `http://127.0.0.1:${server.addr.port}`;
  return {
    paths: [`${base}/slow`, `${base}/500`, "http://127.0.0.1:1/"],
    count: () => count,
    async [Symbol.asyncDispose]() {
      resolve();
      await server.shutdown();
    },
  };
}

async function post(adminUrl: string, path: string, body: unknown): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(`${adminUrl}/admin/v1${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`Cannot measure: ${path} says ${response.status}: ${text}`);
}

function addTarget(adminUrl: string, url: string): Promise<void> {
  return post(adminUrl, "/notify/targets", { name: url, kind: "webhook", url });
}

/** Makes the wallet low and not low in turn, and backups fail. The function ends it. */
function keepChanging(adminUrl: string): () => Promise<void> {
  let changes = 0;
  let under: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    const isBad = changes++ % 2 === 0;
    const problem = isBad ? "The disk is full" : null;
    under = Promise.all([
      post(adminUrl, "/wallets/default/low-balance", { below: MARKS[isBad ? 0 : 1] }),
      post(adminUrl, "/backups/reports", { problem }),
    ]);
  }, CHANGE_MS);
  return async () => {
    clearInterval(timer);
    await under;
  };
}
