// Run by Node, from bridge_and_mcp_test.ts.
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";

const { anthropicBridge, McpServerError, mcpTools } = await import(process.env.BUNDLE);

const token = "token-of-the-bridge-0123";
const ask = { model: "any", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] };

/** A chunk of a streamed answer. */
function chunk(delta, finish_reason) {
  const choices = [{ index: 0, delta, finish_reason }];
  return `data: ${JSON.stringify({ id: "c", model: "m", choices })}\n\n`;
}

test("the bridge streams an answer", async () => {
  const text = `${chunk({ content: "Hello" }, null)}${chunk({}, "stop")}data: [DONE]\n\n`;
  const headers = { "content-type": "text/event-stream" };
  const fetch = () => Promise.resolve(new Response(text, { headers }));
  const handler = anthropicBridge({ apiKey: "key", token, fetch });
  const post = (sent) =>
    new Request("http://127.0.0.1/v1/messages", {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": sent },
      body: JSON.stringify({ ...ask, stream: true }),
    });
  const answer = await (await handler(post(token))).text();
  const events = [...answer.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
  assert.deepEqual(events, [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
  assert.equal((await handler(post("another"))).status, 401);
});

/** A server of the protocol, as the text of a program. */
const SERVER = `
const { createInterface } = require("node:readline");
const results = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "echo", version: "1" },
  },
  "tools/list": { tools: [{ name: "pid", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: String(process.pid) }] },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }));
});
setInterval(() => {}, 1_000);
process.on("SIGTERM", () => {});
`;

test("a process is called with a permission, and ended although it does not want to", async () => {
  const servers = { echo: { command: process.execPath, args: ["-e", SERVER] } };
  let grant = false;
  const mcp = await mcpTools({ servers, permission: () => grant });
  const call = () =>
    mcp.tools[0].execute({}, { toolCallId: "1", signal: new AbortController().signal });
  await assert.rejects(call, { code: "permission_denied" });
  grant = true;
  const pid = Number(await call());
  assert.ok(process.kill(pid, 0));
  await mcp.close();
  assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
  await assert.rejects(call, { code: "mcp_disconnected" });
});

test("a program that does not exist is an error with the server's name", async () => {
  const servers = { gone: { command: "/no/such/program" } };
  await assert.rejects(() => mcpTools({ servers }), (error) => {
    assert.ok(error instanceof McpServerError);
    assert.match(error.message, /"gone"/);
    return true;
  });
});
