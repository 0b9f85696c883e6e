import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { ADMIN_TOKEN, TestService, WALLET } from "../fixtures/service.ts";
import { EmbeddingsServer } from "../fixtures/embeddings_server.ts";
import { ServiceProcess, svc } from "../fixtures/service_process.ts";

const FIXTURES = fromFileUrl(new URL("../fixtures/vector_stores/", import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  "handbook.md": "text/markdown",
  "opening_hours.html": "text/html",
  "rules_zh.txt": "text/plain",
  "warranty.pdf": "application/pdf",
};

async function upload(service: TestService, store: string, name: string): Promise<Response> {
  return await fetch(
    `${service.running.adminUrl}/admin/v1/vector-stores/${store}/files?filename=${name}`,
    {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": TYPES[name] ?? "" },
      body: await Deno.readFile(join(FIXTURES, name)),
    },
  );
}

/** Returns the names of the files in the results, best first. */
async function search(service: TestService, store: string, query: string): Promise<string[]> {
  const { results } = await service.admin("POST", `/vector-stores/${store}/search`, { query });
  assert(Array.isArray(results));
  return results.map(({ filename }) => filename);
}

Deno.test("files of every kind are found by what is in them, in English and in Chinese", async () => {
  await using service = await TestService.start();
  const made = await service.admin("POST", "/vector-stores", { name: "Tower", wallet: WALLET });
  const id = String(made.id);
  for (const name of Object.keys(TYPES)) {
    const added = await upload(service, id, name);
    assertEquals(added.status, 201, await added.text());
  }
  const questions: Readonly<Record<string, string>> = {
    "When is the gallery closed?": "handbook.md",
    "what does an adult's ticket cost in credits": "opening_hours.html",
    "怎么退款": "rules_zh.txt",
    "透镜": "rules_zh.txt",
    "price of a new hinge": "warranty.pdf",
  };
  for (const [question, expected] of Object.entries(questions)) {
    assertEquals((await search(service, id, question))[0], expected, question);
  }
  // Hidden text of the page is not indexed.
  assertEquals(await search(service, id, "rebeccapurple scripted"), []);
});

Deno.test("svc fills a store, which outlives the gateway's end, however it ends", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const kvPath = join(folder, "svc.kv");
    const files = Object.keys(TYPES).map((name) => join(FIXTURES, name));
    const start = () => ServiceProcess.start(kvPath, { SERVICE_ADMIN_TOKEN: ADMIN_TOKEN });
    const run = async (gateway: ServiceProcess, ...args: string[]) => {
      const env = { SERVICE_ADMIN_URL: gateway.adminUrl, SERVICE_ADMIN_TOKEN: ADMIN_TOKEN };
      const { code, stdout, stderr } = await svc(["vector-stores", ...args], env);
      assertEquals([code, stderr], [0, ""]);
      return stdout;
    };
    let id: string;
    {
      await using gateway = await start();
      id = JSON.parse(await run(gateway, "create", "Tower", "--wallet", WALLET, "--json")).id;
      const added = JSON.parse(await run(gateway, "add", id, ...files, "--json"));
      assertEquals(added.files.length, 4);
      assertMatch(await run(gateway, "search", id, "spare hinge"), /warranty\.pdf/);
      await gateway.end("SIGKILL");
    }
    await using gateway = await start();
    assertStringIncludes(await run(gateway, "show", id), "opening_hours.html");
    assertMatch(await run(gateway, "search", id, "全额退款"), /^\d\.\d\d +rules_zh\.txt/);
    await run(gateway, "remove", id);
    assertEquals(JSON.parse(await run(gateway, "list", "--json")), {
      vectorStores: [],
      cursor: null,
    });
    // Search threads do not keep the gateway from ending.
    assertEquals((await gateway.end("SIGTERM")).code, 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("embeddings find texts without common words; without them, and after a restart, search continues", async () => {
  await using upstream = new EmbeddingsServer();
  const model = { id: "a", upstream: "lab", upstreamModel: "a", endpoints: ["chat"] };
  const price = { inputPerMTok: "1", outputPerMTok: "1", currency: "USD" };
  const limits = { contextTokens: 1_000, maxOutputTokens: 100, quality: 0.5, price };
  const text = { en: "x", zh: "x" };
  const tier = { id: "standard", creditsPerUsd: "1", models: "*", name: text, description: text };
  const config = {
    upstreams: [{ id: "lab", kind: "openai-compatible", baseUrl: upstream.url, apiKey: "none" }],
    models: [{ ...model, ...limits, description: text }],
    tiers: [tier],
    vectorStores: { embeddings: { upstream: "lab", model: "tiny" } },
  };
  const folder = await Deno.makeTempDir();
  const kvPath = join(folder, "svc.kv");
  const post = async (service: TestService, path: string, body: string) => {
    const response = await fetch(`${service.running.adminUrl}/admin/v1/vector-stores/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      body,
    });
    assert(response.ok);
    return await response.json();
  };
  let id: string;
  {
    await using service = await TestService.start({ config, kvPath });
    const made = await service.admin("POST", "/vector-stores", { name: "Pets", wallet: WALLET });
    id = String(made.id);
    await post(service, `${id}/files?filename=car.txt`, "The automobile is in the yard");
    await post(service, `${id}/files?filename=cat.txt`, "A kitten sleeps");
    assertEquals((await search(service, id, "vehicles"))[0], "car.txt");
    assertEquals((await search(service, id, "felines"))[0], "cat.txt");
    assertEquals(upstream.requests.map(({ model, input }) => [model, input.length]), [
      ["tiny", 1],
      ["tiny", 1],
      ["tiny", 1],
      ["tiny", 1],
    ]);
  }
  await using service = await TestService.start({ config, kvPath });
  assertEquals((await search(service, id, "felines"))[0], "cat.txt");
  upstream.status = 429;
  assertEquals(await search(service, id, "yard"), ["car.txt"]);
  assert(service.logs.some(({ event }) => event === "query_not_embedded"));
  const late = await post(service, `${id}/files?filename=late.txt`, "A feline wakes");
  assertEquals(late.embedded, false);
  assertMatch(late.warning, /^"late\.txt" has no embeddings: .*429/);
  upstream.status = 200;
  const embedded = await post(service, `${id}/files/${late.id}/embeddings`, "");
  assertEquals(embedded.embedded, true);
  const shown = await service.admin("GET", `/vector-stores/${id}`);
  assertEquals(shown.embeddings, { model: "tiny", passages: 3 });
});
