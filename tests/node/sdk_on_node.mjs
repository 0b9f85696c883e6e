// Run by Node, from sdk_test.ts.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createReadStream, openAsBlob } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import process from "node:process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const {
  RunError,
  ServiceAPIError,
  ServiceClient,
  ServiceConnectionError,
  ServiceTimeoutError,
  tool,
} = await import(process.env.BUNDLE);

const messages = [{ role: "user", content: "What is 17 * 23?" }];
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const billing = { charged: "0.1", input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const metadata = { request_id: "req-1", billing };
const toolCall = {
  id: "call_1",
  type: "function",
  function: { name: "calculator", arguments: '{"expression":"17 * 23"}' },
  thought_signature: "S==",
};

/** Behaviour of the service. */
let behaviour = "answer";
/** Requests as received, and the number of callers that disconnected before the end of an answer. */
let requests = [];
let disconnects = 0;
let server;
let client;

async function answer(request, response) {
  let text = "";
  for await (const piece of request) text += piece;
  if (request.url.startsWith("/openai/v1/files")) return answerFile(request, response, text);
  const body = JSON.parse(text || "{}");
  requests.push({ body, headers: request.headers });
  response.on("close", () => disconnects += response.writableFinished ? 0 : 1);
  if (behaviour === "silent") return;
  if (behaviour === "refuse" || behaviour === "refuse later" && requests.length > 1) {
    response.writeHead(402, { "content-type": "application/json" });
    return response.end('{"error":{"message":"Add credits","code":"insufficient_balance"}}');
  }
  const isDone = body.messages.at(-1).role === "tool";
  const message = isDone ? { content: "It is 391" } : { tool_calls: [toolCall] };
  const finish_reason = isDone ? "stop" : "tool_calls";
  if (!body.stream) {
    const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason }];
    response.writeHead(200, { "content-type": "application/json" });
    return response.end(JSON.stringify({ id: "c", choices, usage, metadata }));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (event) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  const delta = isDone ? { content: "It is " } : { tool_calls: [{ index: 0, ...toolCall }] };
  send({ id: "c", choices: [{ index: 0, delta, finish_reason: null }] });
  if (behaviour === "stall") return;
  if (behaviour === "cut") return response.destroy();
  if (isDone) send({ choices: [{ index: 0, delta: { content: "391" }, finish_reason: null }] });
  send({ choices: [{ index: 0, delta: {}, finish_reason }] });
  send({ choices: [], usage, metadata });
  response.end("data: [DONE]\n\n");
}

/** Answers an upload, the content of a file, and a deletion. */
function answerFile({ headers, method, url }, response, text) {
  requests.push({ text, headers });
  if (behaviour === "busy" && requests.length === 1) {
    response.writeHead(503, { "retry-after": "0" });
    return response.end("{}");
  }
  const isContent = url.endsWith("/content");
  const type = isContent ? "application/octet-stream" : "application/json";
  response.writeHead(200, { "content-type": type });
  if (behaviour === "cut") return response.write("{", () => response.destroy());
  const file = { id: "file_1", filename: "a.mjs", deleted: method === "DELETE" };
  response.end(isContent ? new Uint8Array([0, 255]) : JSON.stringify(file));
}

/** Has the service behave like this, and forget what was before. */
function behave(how) {
  behaviour = how;
  requests = [];
  disconnects = 0;
}

before(async () => {
  server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const apiBaseUrl = `http://127.0.0.1:${server.address().port}`;
  client = new ServiceClient({ apiKey: "svc_live_key", apiBaseUrl });
});

after(() => {
  server.closeAllConnections();
  server.close();
});

test("create runs a fallback tool", async () => {
  behave("answer");
  const { choices, metadata } = await client.chat.completions.create({ messages });
  assert.equal(choices[0].message.content, "It is 391");
  assert.equal(metadata.billing.charged, "0.200000");
  assert.deepEqual(requests[1].body.messages[1].tool_calls, [toolCall]);
  assert.match(requests[1].body.messages[2].content, /"result":"391"/);
  assert.equal(requests[0].headers.authorization, "Bearer svc_live_key");
});

test("a file is uploaded from the disk, for each attempt from its beginning", async () => {
  const path = fileURLToPath(import.meta.url);
  const own = await readFile(path, "utf8");
  const retrying = new ServiceClient({
    apiKey: "key",
    apiBaseUrl: `http://127.0.0.1:${server.address().port}`,
    maxRetries: 1,
  });
  const blob = new File([await openAsBlob(path)], "a.mjs");
  for (const file of [blob, { name: "a.mjs", open: () => createReadStream(path) }]) {
    behave("busy");
    assert.equal((await retrying.files.create({ file })).id, "file_1");
    assert.equal(requests.length, 2);
    for (const { text, headers } of requests) {
      assert.match(headers["content-type"], /^multipart\/form-data; boundary=/);
      assert.ok(text.includes(`filename="a.mjs"\r\n`) && text.includes(`\r\n\r\n${own}\r\n--`));
    }
  }
});

test("content is bytes; a cut one is a connection error; a deletion has no content", async () => {
  behave("answer");
  const content = await client.files.content("file_1");
  assert.deepEqual([...await content.bytes()], [0, 255]);
  assert.equal((await client.files.delete("file_1")).deleted, true);
  assert.equal(requests[1].text, "");
  behave("cut");
  const broken = await client.files.content("file_1");
  await assert.rejects(broken.bytes(), ServiceConnectionError);
});

test("stream has every turn's chunks, and the answer", async () => {
  behave("answer");
  const stream = client.chat.completions.stream({ messages });
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  assert.equal(chunks.length, 7);
  const { choices, usage } = await stream;
  assert.equal(choices[0].message.content, "It is 391");
  assert.equal(usage.total_tokens, 30);
});

test("run and runStream drive a tool of the application's", async () => {
  for (const method of ["run", "runStream"]) {
    behave("answer");
    const inputs = [];
    const calculator = tool({
      name: "calculator",
      description: "Computes",
      parameters: { type: "object", properties: { expression: { type: "string" } } },
      execute: ({ expression }) => {
        inputs.push(expression);
        return 391;
      },
    });
    let streamed = "";
    const options = { tools: [calculator], onTextDelta: (text) => void (streamed += text) };
    const result = await client.chat.completions[method]({ messages }, options);
    assert.deepEqual([result.stoppedBy, result.finalText, streamed], [
      "finish",
      "It is 391",
      "It is 391",
    ]);
    assert.deepEqual(inputs, ["17 * 23"]);
    assert.equal(result.billing.charged, "0.200000");
    assert.equal(requests[0].body.tools.length, 1);
  }
});

test("bytes of a stream are a body", async () => {
  behave("answer");
  const bytes = client.chat.completions.stream({ messages }).toReadableStream();
  const lines = (await new Response(bytes).text()).trim().split("\n");
  assert.equal(lines.map((line) => JSON.parse(line)).length, 7);
});

test("errors are distinguished", async () => {
  behave("refuse");
  await assert.rejects(client.chat.completions.create({ messages }), (error) => {
    assert.ok(error instanceof ServiceAPIError);
    assert.deepEqual([error.status, error.code], [402, "insufficient_balance"]);
    return true;
  });
  behave("refuse later");
  await assert.rejects(client.chat.completions.run({ messages }), (error) => {
    assert.ok(error instanceof RunError && error.cause instanceof ServiceAPIError);
    assert.equal(error.result.steps.length, 1);
    return true;
  });
  behave("cut");
  const cut = client.chat.completions.stream({ messages }).final();
  await assert.rejects(cut, (error) => error instanceof ServiceConnectionError);
  const nobody = new ServiceClient({ apiKey: "k", apiBaseUrl: "http://127.0.0.1:1" });
  await assert.rejects(nobody.models.list(), (error) => error instanceof ServiceConnectionError);
});

test("a time limit and a signal end a call, before its answer and within", async () => {
  const { completions } = client.chat;
  for (const how of ["silent", "stall"]) {
    behave(how);
    const limited = completions.stream({ messages }, { timeoutMs: 50 }).final();
    await assert.rejects(limited, (error) => error instanceof ServiceTimeoutError);
    const reason = new Error("Enough");
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 50);
    const aborted = completions.stream({ messages }, { signal: controller.signal }).final();
    await assert.rejects(aborted, (error) => error === reason);
    // The service hears of it.
    while (disconnects < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  }
});

test("leaving a stream early lets the service go", async () => {
  behave("stall");
  for await (const _ of client.chat.completions.stream({ messages })) break;
  while (disconnects < 1) await new Promise((resolve) => setTimeout(resolve, 5));
});
