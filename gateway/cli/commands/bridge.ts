import type { Call, Command } from "../command.ts";
import { CliFailure, UsageError } from "../failures.ts";
import { onInterrupt } from "../input/interrupt.ts";
import type { Listen } from "../io.ts";

/** `svc bridge`. */
export const bridgeCommands: readonly Command[] = [
  {
    words: "bridge anthropic",
    options: ["host", "port", "url", "timeout"],
    meanings: {
      host: "Address to listen on (127.0.0.1: this machine only)",
      port: "Port to listen on; 0 is any free one (8789)",
      timeout: "Longest call, its stream included (600)",
      url: "Public URL of the gateway (SERVICE_PUBLIC_URL, else http://127.0.0.1:8787)",
    },
    summary: "Let programs for Anthropic's Messages API, such as Claude Code, run on the gateway",
    run: bridge,
  },
];

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = "8789";
const DEFAULT_URL = "http://127.0.0.1:8787";
const DEFAULT_TIMEOUT = "600";
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

/** Returns a token of 256 random bits. */
function newToken(): string {
  return `svc_bridge_${crypto.getRandomValues(new Uint8Array(32)).toHex()}`;
}

/** Listens until it is interrupted. Programs receive a token, and never the gateway's key. */
async function bridge(call: Call): Promise<undefined> {
  const { io } = call;
  const hostname = call.option("host") ?? DEFAULT_HOST;
  const port = numberOf(call.option("port") ?? DEFAULT_PORT, { name: "port", from: 0, to: 65_535 });
  const seconds = numberOf(call.option("timeout") ?? DEFAULT_TIMEOUT, {
    ...{ name: "timeout", from: 1, to: 86_400 },
  });
  const own = io.env.SERVICE_BRIDGE_TOKEN || undefined;
  const shows = io.isTerminal || call.has("json");
  if (own === undefined && !shows) {
    throw new CliFailure(
      "There is no token for programs: set SERVICE_BRIDGE_TOKEN; a generated one is only shown on " +
        "a terminal or with --json",
    );
  }
  const token = own ?? newToken();
  const handler = await handlerOf(call, { token, timeoutMs: seconds * 1_000 });
  const listener = await listening(io.listen ?? listen, { hostname, port, handler });
  if (!LOOPBACK.test(hostname)) {
    call.warn(
      `programs of other machines reach ${hostname}, and the token travels in the clear: ` +
        "put a server that ends TLS in front",
    );
  }
  const shownHost = hostname.includes(":") ? `[${hostname}]` : hostname;
  const url = `http://${shownHost}:${listener.port}`;
  // A token that the operator has given is never printed.
  const shown = own === undefined ? { url, token } : { url };
  if (call.has("json")) io.stdout(`${JSON.stringify(shown, null, 2)}\n`);
  call.print(
    `Anthropic's Messages API is at ${url}, until Ctrl-C. In the shell of a program:\n\n` +
      `export ANTHROPIC_BASE_URL=${url}\n` +
      `export ANTHROPIC_AUTH_TOKEN=${own === undefined ? token : "$SERVICE_BRIDGE_TOKEN"}\n`,
  );
  await listener.finished;
}

/** Returns the handler of the bridge; its library is loaded for this command only. */
async function handlerOf(
  call: Call,
  { timeoutMs, token }: { readonly timeoutMs: number; readonly token: string },
): Promise<(request: Request) => Promise<Response>> {
  const { anthropicBridge } = await import("@svc/sdk/bridge");
  const { ConfigurationError, MissingAPIKeyError } = await import("@svc/sdk");
  const { createTokenCounter } = await import("../../tokens/token_counter.ts");
  const { env } = call.io;
  const counter = createTokenCounter();
  try {
    return anthropicBridge({
      apiKey: env.SERVICE_API_KEY ?? "",
      apiBaseUrl: call.option("url") ?? (env.SERVICE_PUBLIC_URL || DEFAULT_URL),
      fetch: (url, init = {}) => call.io.fetch(String(url), init),
      countTokens: (text) => counter.count(text),
      ...{ timeoutMs, token },
    });
  } catch (error) {
    if (error instanceof MissingAPIKeyError) {
      throw new CliFailure(
        "There is no key to call the gateway with: set SERVICE_API_KEY; `svc keys create` makes one",
      );
    }
    if (!(error instanceof ConfigurationError)) throw error;
    throw new CliFailure(named(error.message));
  }
}

/** Returns a message of the library with the names of this command line. */
function named(message: string): string {
  return message.replace("apiBaseUrl", "--url").replace("apiKey", "SERVICE_API_KEY")
    .replace("use token", "use SERVICE_BRIDGE_TOKEN");
}

function numberOf(
  text: string,
  { from, name, to }: { readonly name: string; readonly from: number; readonly to: number },
): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : NaN;
  if (value >= from && value <= to) return value;
  throw new UsageError(`--${name} takes a number from ${from} to ${to}, not "${text}"`);
}

async function listening(
  start: Listen,
  { hostname, port, handler }: Parameters<Listen>[0],
): ReturnType<Listen> {
  try {
    return await start({ hostname, port, handler });
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new CliFailure(
      `Cannot listen on ${hostname}:${port}: ${cause.message}; give another --host or --port`,
      { cause },
    );
  }
}

const listen: Listen = ({ hostname, port, handler }) => {
  const { addr, finished } = Deno.serve({ hostname, port, onListen: () => {} }, handler);
  // The end of the process closes the connections, which ends the calls.
  const interrupt = onInterrupt(() => {});
  return Promise.resolve({ port: addr.port, finished: finished.finally(() => interrupt.off()) });
};
