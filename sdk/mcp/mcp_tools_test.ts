import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { type Tool, ToolError } from "@svc/tools";
import { ConfigurationError, ServiceError } from "../errors.ts";
import {
  type McpPermissionRequest,
  McpServerError,
  mcpTools,
  type McpToolsOptions,
} from "./mod.ts";

interface Rpc {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly cursor?: string;
    readonly name?: string;
    readonly arguments?: unknown;
  };
}

type Answer = (call: Rpc) => unknown;

const SCHEMA = { type: "object", properties: { city: { type: "string" } } };
const TOOLS = [
  {
    name: "weather",
    description: "Tells it",
    inputSchema: SCHEMA,
    annotations: { readOnlyHint: true },
  },
  { name: "now.in", title: "The time", inputSchema: { type: "object" } },
];

/** A server over HTTP without a network. An answer that is a function is an error of the protocol. */
function scripted(answer: Answer = () => ({ content: [] })) {
  const calls: Rpc[] = [];
  const script = (call: Rpc): unknown => {
    switch (call.method) {
      case "initialize":
        return {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "scripted", version: "1" },
        };
      case "tools/list":
        return call.params?.cursor === undefined
          ? { tools: TOOLS.slice(0, 1), nextCursor: "2" }
          : { tools: TOOLS.slice(1) };
      default:
        calls.push(call);
        return answer(call);
    }
  };
  const fetch = async (_: unknown, init: RequestInit = {}): Promise<Response> => {
    if (init.method !== "POST") return new Response(null, { status: 405 });
    const call: Rpc = JSON.parse(String(init.body));
    if (call.id === undefined) return new Response(null, { status: 202 });
    const result = await script(call);
    const outcome = result instanceof Error
      ? { error: { code: -32_602, message: result.message } }
      : { result };
    return Response.json({ jsonrpc: "2.0", id: call.id, ...outcome });
  };
  return { calls, servers: { city: { url: "http://mcp.test/mcp?v=1", fetch } } };
}

function execute(tool: Tool | undefined, input: unknown, signal = new AbortController().signal) {
  return tool?.execute?.(input, { toolCallId: "call_1", signal });
}

async function failure(running: unknown): Promise<ToolError> {
  return await assertRejects(() => Promise.resolve(running), ToolError);
}

Deno.test("tools of all pages are declared, and a granted call runs", async () => {
  const { calls, servers } = scripted(() => ({ content: [{ type: "text", text: "Rain" }] }));
  const requests: McpPermissionRequest[] = [];
  await using mcp = await mcpTools({
    servers,
    permission: (request) => requests.push(request) > 0,
  });
  assertEquals(
    mcp.tools.map(({ name, description, parameters }) => [name, description, parameters]),
    [
      ["city_weather", "Tells it", SCHEMA],
      [mcp.tools[1]?.name, "The time", { type: "object" }],
    ],
  );
  assertEquals(await execute(mcp.tools[0], { city: "Bern" }), "Rain");
  const [request] = requests;
  assertEquals(
    [request?.server, request?.tool, request?.input, request?.annotations, request?.toolCallId],
    ["city", "weather", { city: "Bern" }, { readOnlyHint: true }, "call_1"],
  );
  assertEquals(calls.map(({ params }) => [params?.name, params?.arguments]), [
    ["weather", { city: "Bern" }],
  ]);
});

Deno.test("nothing is called without a grant of this very call", async () => {
  const permissions: McpToolsOptions["permission"][] = [
    undefined,
    () => false,
    // As plain JavaScript may answer.
    () => JSON.parse('"yes"'),
    () => Promise.reject(new Error("broken")),
    ({ tool }) => tool === "now.in",
  ];
  for (const permission of permissions) {
    const { calls, servers } = scripted();
    await using mcp = await mcpTools({ servers, permission });
    const error = await failure(execute(mcp.tools[0], {}));
    assertEquals([error.code, calls], ["permission_denied", []]);
  }
  const { calls, servers } = scripted();
  const silent = () => new Promise<boolean>(() => {});
  await using mcp = await mcpTools({ servers, permission: silent, permissionTimeoutMs: 1 });
  assertEquals((await failure(execute(mcp.tools[0], {}))).code, "permission_denied");
  assertEquals(calls, []);
});

Deno.test("a permission callback cannot change the call", async () => {
  const { calls, servers } = scripted();
  await using mcp = await mcpTools({
    servers,
    permission: ({ input }) => Reflect.set(input, "city", "Paris"),
  });
  await execute(mcp.tools[0], { city: "Bern" });
  assertEquals(calls[0]?.params?.arguments, { city: "Bern" });
});

Deno.test("errors of server and protocol have a code, and the model can read them", async () => {
  const permission = () => true;
  const failed = { content: [{ type: "text", text: "No" }], isError: true };
  const rows: readonly (readonly [Answer, string, string, timeoutMs?: number])[] = [
    [() => failed, "mcp_tool_failed", "No"],
    [() => new Error("Unknown city"), "mcp_error", "Unknown city"],
    [() => new Promise(() => {}), "tool_timeout", "stopped after 20 ms", 20],
  ];
  for (const [answer, code, message, timeoutMs] of rows) {
    const { servers } = scripted(answer);
    const mcp = await mcpTools({ servers, permission, timeoutMs });
    const error = await failure(execute(mcp.tools[0], {}));
    assertEquals(error.code, code);
    assertStringIncludes(error.message, message);
    await mcp.close();
    assertEquals((await failure(execute(mcp.tools[0], {}))).code, "mcp_disconnected");
  }
  const { servers } = scripted();
  await using mcp = await mcpTools({ servers, permission });
  assertEquals((await failure(execute(mcp.tools[0], []))).code, "invalid_tool_arguments");
});

Deno.test("a server that cannot be used is named, with the reason", async () => {
  const options = (server: object) => ({ servers: { ...scripted().servers, other: server } });
  const refused = { url: "http://mcp.test/", fetch: () => Promise.reject(new Error("refused")) };
  const error = await assertRejects(
    () => mcpTools(options(refused) as McpToolsOptions),
    McpServerError,
  );
  assertInstanceOf(error, ServiceError);
  assertStringIncludes(error.message, 'MCP server "other": ');
  assertStringIncludes(error.message, "refused");
  const silent = { url: "http://mcp.test/", fetch: () => new Promise<Response>(() => {}) };
  await assertRejects(
    () => mcpTools({ servers: { silent }, connectTimeoutMs: 10 }),
    McpServerError,
    "did not answer within 10 ms",
  );
});

Deno.test("closing does not wait for a server that does not answer", async () => {
  const { servers: { city } } = scripted();
  let isLeaving = false;
  const fetch = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    if (init.method !== "DELETE") {
      const answer = await city.fetch(input, init);
      answer.headers.set("mcp-session-id", "session-1");
      return answer;
    }
    isLeaving = true;
    return await new Promise((_, reject) => {
      init.signal?.addEventListener("abort", () => reject(new Error("aborted")));
    });
  };
  const mcp = await mcpTools({ servers: { city: { ...city, fetch } } });
  await mcp.close();
  assert(isLeaving);
  await mcp.close();
});

Deno.test("options that cannot be used are refused before anything is started", async () => {
  const rows: readonly (readonly [object, string])[] = [
    [{}, "without servers"],
    [{ servers: { "a b": { command: "x" } } }, 'name an MCP server "a b"'],
    [{ servers: { a: {} } }, "give a command, or a url"],
    [{ servers: { a: { command: "x", arg: [] } } }, 'option "arg"'],
    [{ servers: { a: { url: "ftp://mcp.test" } } }, "no http(s) URL"],
    [{ servers: { a: { url: "http://u:p@mcp.test" } } }, "holds a password"],
    [{ servers: {}, timeoutMs: 0 }, "timeoutMs 0"],
    [{ servers: {}, permission: true }, "Cannot use permission"],
  ];
  for (const [options, message] of rows) {
    const given = options as McpToolsOptions;
    await assertRejects(() => mcpTools(given), ConfigurationError, message);
  }
  assert(rows.length > 0);
});

Deno.test("a redirect is not followed, when connecting and later", async () => {
  const followed: string[] = [];
  const elsewhere = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using other = Deno.serve(elsewhere, (request) => {
    followed.push(request.headers.get("x-api-key") ?? "");
    return new Response(null, { status: 405 });
  });
  const location = `http://127.0.0.1:${other.addr.port}/mcp`;
  const { servers: { city } } = scripted(() => ({ content: [] }));
  let redirects = true;
  await using server = Deno.serve(elsewhere, async (request) => {
    if (redirects) return new Response(null, { status: 307, headers: { location } });
    return await city.fetch(request.url, { method: request.method, body: await request.text() });
  });
  const url = `http://127.0.0.1:${server.addr.port}/mcp`;
  const servers = { city: { url, headers: { "x-api-key": "quiet" } } };
  const error = await assertRejects(() => mcpTools({ servers }), McpServerError);
  assertStringIncludes(error.message, "it redirects to another address");
  redirects = false;
  await using mcp = await mcpTools({ servers, permission: () => true });
  redirects = true;
  await assertRejects(() => Promise.resolve(execute(mcp.tools[0], {})), McpServerError);
  assertEquals(followed, []);
});
