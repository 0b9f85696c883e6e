/**
 * Files that a request points to: passed on where the upstream fetches them itself, else fetched.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { FetchFile } from "../../../gateway/ports/fetch_image.ts";
import { FakeUpstream, json } from "../../fixtures/fake_upstream.ts";
import { answered, refused } from "../../fixtures/responses_calls.ts";
import { OUT_OF_ORDER, type TwoRoutes, twoRoutes } from "../../fixtures/two_routes.ts";
import { TestService } from "../../fixtures/service.ts";
import { ANTHROPIC } from "../../fixtures/upstreams/anthropic.ts";
import { labConfig } from "../../fixtures/lab.ts";
import { PDF } from "../../fixtures/upstreams/received_request.ts";

const BYTES = Uint8Array.fromBase64(PDF);
const POINTING = {
  input: [
    { role: "user", content: "Read this" },
    {
      role: "user",
      content: [
        { type: "input_text", text: "What does it say?" },
        { type: "input_file", file_url: "https://files.example/a/report.pdf?x=1" },
      ],
    },
  ],
};

/** Puts another fetch in the place of the service's, and lists what it is asked for. */
function fetchingWith({ running }: TestService, fetchFile: FetchFile): string[] {
  const urls: string[] = [];
  Object.defineProperty(running.gateway, "fetchFile", {
    value: (url: string, signal: AbortSignal) => {
      urls.push(url);
      return fetchFile(url, signal);
    },
  });
  return urls;
}

const reports: FetchFile = () => Promise.resolve({ mediaType: "application/pdf", bytes: BYTES });

async function onlyChat({ service }: TwoRoutes): Promise<string> {
  return (await service.newKey({ policy: { models: ["chat"] } })).key;
}

Deno.test("an upstream that fetches files itself is sent the address", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream());
  const { service, native, chat } = routes;
  const urls = fetchingWith(service, reports);
  const { model } = await answered(service, POINTING);
  assertEquals([model, urls, chat.requests.length], ["native", [], 0]);
  assertEquals(native.last.body["input"], POINTING.input);
  native.say({ error: OUT_OF_ORDER });
  assertEquals((await refused(service, POINTING)).status, 502);
});

Deno.test("all others are sent the file, and what is kept is the address", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream());
  const { service, chat } = routes;
  const urls = fetchingWith(service, reports);
  const key = await onlyChat(routes);
  const first = await answered(service, POINTING, key);
  assertEquals(urls, ["https://files.example/a/report.pdf?x=1"]);
  const file = { filename: "report.pdf", file_data: `data:application/pdf;base64,${PDF}` };
  const messages = [
    { role: "user", content: "Read this" },
    {
      role: "user",
      content: [{ type: "text", text: "What does it say?" }, { type: "file", file }],
    },
  ];
  assertEquals(JSON.parse(chat.last.text).messages, messages);
  assertEquals(first.metadata.routing?.["not_carried"], undefined);
  const { data } = await service.client({ apiKey: key }).responses.inputItems.list(first.id);
  assert(JSON.stringify(data).includes("https://files.example/a/report.pdf?x=1"));
  assert(!JSON.stringify(data).includes(PDF));
  // The next turn fetches it again.
  await answered(service, { input: "And then?", previous_response_id: first.id }, key);
  assertEquals(urls.length, 2);
  assertEquals(JSON.parse(chat.last.text).messages.slice(0, 2), messages);
  await service.assertBooks();
});

Deno.test("the Anthropic adapter gets the file's bytes", async () => {
  await using fake = new FakeUpstream();
  const config = labConfig({
    id: "claude",
    baseUrl: fake.baseUrl,
    upstream: { kind: "anthropic" },
    featureTags: ["files"],
  });
  await using service = await TestService.start({ config });
  fetchingWith(service, reports);
  fake.answer(json(ANTHROPIC.text.json));
  await answered(service, POINTING);
  assertEquals(ANTHROPIC.read(JSON.parse(fake.last.text)).documents, [PDF]);
});

Deno.test("a file that cannot be had is the caller's 400, named, and costs nothing", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream());
  const { service, chat } = routes;
  const key = await onlyChat(routes);
  // The service's own fetch: private addresses are not for callers.
  for (
    const file_url of ["http://127.0.0.1:1/a.pdf", "http://localhost/a.pdf", "file:///etc/hosts"]
  ) {
    const input = [{ role: "user", content: [{ type: "input_file", file_url }] }];
    const { status, code, param } = await refused(service, { input }, key);
    assertEquals([status, code, param], [400, "invalid_request", "input.0.content.0.file_url"]);
  }
  fetchingWith(service, () => Promise.resolve({ problem: "its server answers with status 404" }));
  const refusal = await refused(service, POINTING, key);
  assertEquals(refusal, {
    status: 400,
    code: "invalid_request",
    param: "input.1.content.1.file_url",
    message: 'Cannot accept "input.1.content.1.file_url": its server answers with status 404',
  });
  assertEquals(chat.requests.length, 0);
  await service.assertBooks();
});

Deno.test("too many files, or too much of them, are not fetched to the end", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream());
  const { service } = routes;
  const key = await onlyChat(routes);
  const pointing = (count: number) => ({
    input: [{
      role: "user",
      content: Array.from({ length: count }, (_, at) => ({
        type: "input_file",
        file_url: `https://files.example/${at}`,
      })),
    }],
  });
  const urls = fetchingWith(service, reports);
  assertEquals((await refused(service, pointing(9), key)).param, "input.0.content.8.file_url");
  assertEquals(urls.length, 8);
  const large = new Uint8Array(20 * 1024 * 1024);
  await using other = await twoRoutes("chat", new FakeUpstream());
  const fetching = fetchingWith(
    other.service,
    () => Promise.resolve({ mediaType: "text/plain", bytes: large }),
  );
  const { param } = await refused(other.service, pointing(5), await onlyChat(other));
  assertEquals([param, fetching.length], ["input.0.content.1.file_url", 2]);
});

Deno.test("a tool's result may point to a file too", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream());
  const { service, chat } = routes;
  fetchingWith(service, reports);
  const input = [
    { role: "user", content: "Go" },
    { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
    {
      type: "function_call_output",
      call_id: "c",
      output: [{ type: "input_file", filename: "b.pdf", file_url: "https://files.example/x" }],
    },
  ];
  await answered(service, { input }, await onlyChat(routes));
  assert(
    chat.last.text.includes(`"filename":"b.pdf","file_data":"data:application/pdf;base64,${PDF}"`),
  );
});
