import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { assertFailed, type TestRun, withCli } from "../cli_test_support.ts";
import type { CliIo, Listen } from "../io.ts";

const KEY = "svc_live_key_of_the_service";
const TOKEN = "token-of-the-bridge-0123";
const ASK = { model: "any", max_tokens: 9, messages: [{ role: "user", content: "Hello world" }] };

/** A listener that has one request, for a count, and ends. */
function listener(calls: unknown[]): Listen {
  return ({ hostname, port, handler }) => {
    calls.push([hostname, port]);
    const finished = async () => {
      const counted = await handler(
        new Request("http://bridge.test/v1/messages/count_tokens", {
          method: "POST",
          headers: { "content-type": "application/json", "x-api-key": TOKEN },
          body: JSON.stringify(ASK),
        }),
      );
      calls.push(await counted.json());
    };
    return Promise.resolve({ port: port || 4_711, finished: finished() });
  };
}

/** Runs the command with these variables; its listener ends at once. */
async function run(
  command: string,
  env: Readonly<Record<string, string>>,
  io: Partial<CliIo> = {},
): Promise<TestRun & { readonly calls: readonly unknown[] }> {
  const calls: unknown[] = [];
  let result: TestRun = { code: -1, out: "", err: "" };
  await withCli(async (cli) => {
    result = await cli.run(command, { env, listen: listener(calls), ...io });
  });
  return { ...result, calls };
}

Deno.test("it listens on this machine, counts with the tokenizer, and never prints a given token", async () => {
  const env = { SERVICE_API_KEY: KEY, SERVICE_BRIDGE_TOKEN: TOKEN };
  const { code, out, err, calls } = await run("bridge anthropic", env);
  assertEquals([code, err], [0, ""]);
  assertStringIncludes(out, "export ANTHROPIC_BASE_URL=http://127.0.0.1:8789\n");
  assertStringIncludes(out, "export ANTHROPIC_AUTH_TOKEN=$SERVICE_BRIDGE_TOKEN\n");
  assert(!out.includes(TOKEN) && !out.includes(KEY));
  // Four around the message, and the words as the tokenizer counts them.
  assertEquals(calls, [["127.0.0.1", 8_789], { input_tokens: 6 }]);
});

Deno.test("a new token is shown on a terminal, and in the document of --json", async () => {
  const env = { SERVICE_API_KEY: KEY };
  const { out } = await run("bridge anthropic --port 0", env, { isTerminal: true });
  assertMatch(out, /ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.1:4711\n/);
  assertMatch(out, /ANTHROPIC_AUTH_TOKEN=svc_bridge_[0-9a-f]{64}\n/);
  const json = JSON.parse((await run("bridge anthropic --json", env)).out);
  assertMatch(json.token, /^svc_bridge_[0-9a-f]{64}$/);
  assertEquals(json.url, "http://127.0.0.1:8789");
  const given = await run("bridge anthropic --json", { ...env, SERVICE_BRIDGE_TOKEN: TOKEN });
  assertEquals(JSON.parse(given.out), { url: "http://127.0.0.1:8789" });
  assertFailed(
    await withoutCalls(run("bridge anthropic", env)),
    "There is no token for programs: set SERVICE_BRIDGE_TOKEN; a generated one is only shown on a " +
      "terminal or with --json",
  );
});

async function withoutCalls(running: ReturnType<typeof run>): Promise<TestRun> {
  const { calls, ...result } = await running;
  assertEquals(calls, []);
  return result;
}

Deno.test("calls go to the gateway at --url with its key", async () => {
  const sent: unknown[] = [];
  await withCli(async (cli) => {
    const listen: Listen = ({ handler }) => {
      const ask = async () => {
        const answer = await handler(
          new Request("http://bridge.test/v1/messages", {
            method: "POST",
            headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
            body: JSON.stringify(ASK),
          }),
        );
        sent.push(answer.status);
      };
      return Promise.resolve({ port: 1, finished: ask() });
    };
    const { code } = await cli.run("bridge anthropic --url https://svc.example", {
      env: { SERVICE_API_KEY: KEY, SERVICE_BRIDGE_TOKEN: TOKEN },
      listen,
      fetch: (url, init) => {
        sent.push(url, new Headers(init.headers).get("authorization"));
        return Promise.resolve(Response.json({ choices: [] }));
      },
    });
    assertEquals(code, 0);
  });
  assertEquals(sent, [
    ...["https://svc.example/openai/v1/chat/completions", `Bearer ${KEY}`],
    200,
  ]);
});

Deno.test("another address than loopback is a warning", async () => {
  const env = { SERVICE_API_KEY: KEY, SERVICE_BRIDGE_TOKEN: TOKEN };
  const { code, err, calls } = await run("bridge anthropic --host 0.0.0.0", env);
  assertEquals([code, calls[0]], [0, ["0.0.0.0", 8_789]]);
  assertMatch(err, /^Warning: programs of other machines reach 0\.0\.0\.0/);
  const six = await run("bridge anthropic --host ::1", env);
  assertEquals(six.err, "");
  assertStringIncludes(six.out, "http://[::1]:8789");
});

Deno.test("options, keys and ports that cannot be used are refused with advice", async () => {
  const env = { SERVICE_API_KEY: KEY, SERVICE_BRIDGE_TOKEN: TOKEN };
  const rows: readonly (readonly [string, Readonly<Record<string, string>>, number, string])[] = [
    ["bridge anthropic --port 70000", env, 2, "--port takes a number from 0 to 65535"],
    ["bridge anthropic --timeout 0", env, 2, "--timeout takes a number from 1 to 86400"],
    ["bridge anthropic", { ...env, SERVICE_API_KEY: "" }, 1, "set SERVICE_API_KEY"],
    ["bridge anthropic", { ...env, SERVICE_API_KEY: "a b" }, 1, "Cannot use SERVICE_API_KEY"],
    [
      "bridge anthropic",
      { ...env, SERVICE_BRIDGE_TOKEN: "x" },
      1,
      "Cannot use SERVICE_BRIDGE_TOKEN",
    ],
    ["bridge anthropic --url svc.example", env, 1, "Cannot use --url"],
  ];
  for (const [command, variables, code, message] of rows) {
    const result = await run(command, variables);
    assertEquals([result.code, result.calls], [code, []], result.err);
    assertStringIncludes(result.err, message);
  }
  const listen = () => Promise.reject(new Deno.errors.AddrInUse("Address already in use"));
  const busy = await run("bridge anthropic", env, { listen });
  assertEquals(busy.code, 1);
  assertStringIncludes(busy.err, "Cannot listen on 127.0.0.1:8789");
});
