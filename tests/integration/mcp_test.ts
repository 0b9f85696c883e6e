/**
 * The reference server of the Model Context Protocol, from npm, in runs against the real service: its
 * tools are called through the library, and only with a permission.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { fromFileUrl } from "@std/path";
import { ServiceClient, type Tool, ToolContent, ToolError } from "@svc/sdk";
import {
  type McpPermissionRequest,
  McpServerError,
  type McpStdioServer,
  mcpTools,
} from "@svc/sdk/mcp";
import { platformEnv } from "../fixtures/child_env.ts";
import { freePort } from "../fixtures/free_port.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";
import { CONFIGURATION } from "../fixtures/task_flags.ts";

const ARGS = [
  ...["run", "--quiet", "--cached-only", "--no-prompt", `--config=${CONFIGURATION}`],
  ...["--allow-env", "--allow-read", "--allow-sys", "--allow-net=127.0.0.1,localhost,[::]"],
  fromFileUrl(import.meta.resolve("../fixtures/mcp/everything_process.ts")),
];
/** Loading the server takes seconds on a busy machine. */
const connectTimeoutMs = 120_000;

function server(more: Partial<McpStdioServer> = {}): McpStdioServer {
  return { command: Deno.execPath(), args: [...ARGS, "stdio"], env: platformEnv(), ...more };
}

function execute(tools: readonly Tool[], name: string, input: unknown = {}): Promise<unknown> {
  const tool = tools.find((one) => one.name === name);
  assert(tool?.execute !== undefined, name);
  const context = { toolCallId: "call_1", signal: new AbortController().signal };
  return Promise.resolve(tool.execute(input, context));
}

/** A question whose first answer is a call of the tool. */
function asking(name: string) {
  return {
    messages: [{ role: "user" as const, content: "Say hello" }],
    tool_choice: { type: "function" as const, function: { name } },
  };
}

Deno.test("a run calls a tool of a server: granted it runs, denied it does not", async () => {
  await using service = await TestService.start();
  const requests: McpPermissionRequest[] = [];
  await using mcp = await mcpTools({
    servers: { everything: server() },
    permission: (request) => requests.push(request) > 0 && request.tool === "get-sum",
    connectTimeoutMs,
  });
  const client = new ServiceClient({
    apiKey: BOOTSTRAP_KEY,
    apiBaseUrl: service.running.publicUrl,
    tools: mcp.tools,
  });
  const results: string[] = [];
  const onToolResult = ({ text }: { readonly text: string }) => void results.push(text);
  const { completions } = client.chat;
  const granted = await completions.run(asking("everything_get-sum"), { onToolResult });
  assertEquals([granted.stoppedBy, granted.steps.length], ["finish", 2]);
  assertMatch(results[0] ?? "", /^The sum of \S+ and \S+ is \S+\.$/);
  assertStringIncludes(granted.finalText, results[0] ?? "");
  const denied = await completions.run(asking("everything_echo"), { onToolResult });
  assertEquals(denied.stoppedBy, "finish");
  assertStringIncludes(results[1] ?? "", '"code":"permission_denied"');
  assertEquals(requests.map((request) => [request.server, request.tool]), [
    ["everything", "get-sum"],
    ["everything", "echo"],
  ]);
  await service.assertBooks();
});

Deno.test("the model sees the image of a result on every surface", async () => {
  await using service = await TestService.start();
  await using mcp = await mcpTools({
    servers: { everything: server() },
    permission: () => true,
    connectTimeoutMs,
  });
  const name = "everything_get-tiny-image";
  const client = new ServiceClient({
    apiKey: BOOTSTRAP_KEY,
    apiBaseUrl: service.running.publicUrl,
    tools: mcp.tools.filter((tool) => tool.name === name),
  });
  const { messages } = asking(name);
  const content = "Say hello";
  const finals = [
    (await client.chat.completions.run(asking(name))).finalText,
    (await client.messages.run({ messages, max_tokens: 500, tool_choice: { type: "tool", name } }))
      .finalText,
    (await client.responses.run({ input: content, tool_choice: { type: "function", name } }))
      .finalText,
  ];
  for (const text of finals) assertStringIncludes(text, "I was shown 1 image");
  const image = await execute(mcp.tools, name);
  assertInstanceOf(image, ToolContent);
  assertEquals(image.images.map(({ mediaType }) => mediaType), ["image/png"]);
  await service.assertBooks();
});

Deno.test("structured content, refused input and a call that takes too long", async () => {
  await using mcp = await mcpTools({
    servers: { everything: server() },
    permission: () => true,
    timeoutMs: 1_000,
    connectTimeoutMs,
  });
  const { tools } = mcp;
  const weather = await execute(tools, "everything_get-structured-content", {
    location: "Chicago",
  });
  assertEquals(Object.keys(JSON.parse(String(weather))).sort(), [
    ...["conditions", "humidity", "temperature"],
  ]);
  const invalid = await assertRejects(() => execute(tools, "everything_get-sum", {}), ToolError);
  assertMatch(invalid.code, /^mcp_(?:error|tool_failed)$/);
  const name = "everything_trigger-long-running-operation";
  const late = await assertRejects(
    () => execute(tools, name, { duration: 60, steps: 1 }),
    ToolError,
  );
  assertEquals(late.code, "tool_timeout");
});

Deno.test("closing ends the server with all that it has started", async () => {
  const line = 'sleep 300 & echo "$!" >&2; exec "$0" "$@"';
  const { promise: child, resolve } = Promise.withResolvers<string>();
  const mcp = await mcpTools({
    servers: {
      everything: server({
        command: "sh",
        args: ["-c", line, Deno.execPath(), ...ARGS, "stdio"],
        onStderr: (text) => resolve(text.split("\n")[0] ?? ""),
      }),
    },
    permission: () => true,
    connectTimeoutMs,
  });
  const pid = await child;
  assertEquals(await runs(pid), true);
  assertEquals(await execute(mcp.tools, "everything_echo", { message: "Hi" }), "Echo: Hi");
  await mcp.close();
  for (let tries = 0; await runs(pid); tries++) {
    assert(tries < 1_000, `Process ${pid} is still running`);
    await new Promise((wake) => setTimeout(wake, 20));
  }
  const closed = await assertRejects(() => execute(mcp.tools, "everything_echo"), ToolError);
  assertEquals(closed.code, "mcp_disconnected");
});

/** True while a process runs, and false for a dead one that is not yet reaped. */
async function runs(pid: string): Promise<boolean> {
  assertMatch(pid, /^\d+$/);
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "stat=", "-p", pid] }).output();
  return /^[^Z\s]/.test(new TextDecoder().decode(stdout).trim());
}

Deno.test("a server that does not start is an error with its last words", async () => {
  const broken = server({ command: "sh", args: ["-c", "echo No such module >&2; exit 3"] });
  const error = await assertRejects(
    () => mcpTools({ servers: { broken, works: server() }, connectTimeoutMs }),
    McpServerError,
    'MCP server "broken"',
  );
  assertStringIncludes(error.message, "it wrote: No such module");
});

Deno.test("a server at an address is called over streamable HTTP", async () => {
  const port = freePort();
  const process = new Deno.Command(Deno.execPath(), {
    args: [...ARGS, "streamableHttp"],
    env: { ...platformEnv(), PORT: String(port) },
    clearEnv: true,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = new Response(process.stdout).text();
  // It says on standard error that it listens.
  const complaints = process.stderr.pipeThrough(new TextDecoderStream());
  let text = "";
  for await (const piece of complaints.values({ preventCancel: true })) {
    text += piece;
    if (/listening on port/i.test(text)) break;
  }
  try {
    await using mcp = await mcpTools({
      servers: { remote: { url: `http://127.0.0.1:${port}/mcp`, headers: { "x-team": "a" } } },
      permission: ({ tool }) => tool === "echo",
      connectTimeoutMs,
    });
    assertEquals(await execute(mcp.tools, "remote_echo", { message: "Hi" }), "Echo: Hi");
    const denied = await assertRejects(() => execute(mcp.tools, "remote_get-sum"), ToolError);
    assertEquals(denied.code, "permission_denied");
  } finally {
    process.kill("SIGKILL");
    await process.status;
    await complaints.cancel();
    await output;
  }
});
