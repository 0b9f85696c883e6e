/**
 * The OpenAPI documents beside the listeners that they describe.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { Validator } from "@seriousme/openapi-schema-validator";
import { withAdmin } from "../../gateway/admin/admin_test_support.ts";
import { Description } from "../../gateway/openapi/description.ts";
import { createPublicApp } from "../../gateway/http/public_app.ts";
import { PUBLIC_PATHS } from "../../gateway/http/public_paths.ts";
import { documentOf, type Listener, OPERATIONS } from "../../gateway/openapi/document.ts";
import { bodiesOf, Schemas } from "../../gateway/openapi/schemas_test_support.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";

const LISTENERS: readonly Listener[] = ["public", "admin"];
const documents = { public: documentOf("public"), admin: documentOf("admin") };

/** Pages for people: they are no interface. */
const PAGES = /^\/(?:$|console(?:\/|$)|metrics$)/;

/** `GET /files/{id}` of every route that answers; what is left of a method is refused by another. */
function routesOf(app: { routes: readonly { method: string; path: string }[] }): string[] {
  const served = app.routes.filter(({ method, path }) => method !== "ALL" && !PAGES.test(path));
  const named = served.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
  return [...new Set(named)].sort();
}

function describedOf(listener: Listener): string[] {
  return OPERATIONS[listener].map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort();
}

/** The operations that the specification lists; every other one that applications call is an extension. */
const SPECIFIED = [
  "GET /api/v1/models",
  "GET /api/v1/models/meta",
  "GET /api/v1/pricing",
  "POST /openai/v1/chat/completions",
  "POST /openai/v1/images/edits",
  "POST /openai/v1/images/generations",
  "POST /openai/v1/responses",
];

const WHAT_TO_DO = "Describe a new route in gateway/openapi/, its answer in a schema; take out " +
  "what is gone";

Deno.test("every route of the public listener is described, and nothing else", async () => {
  await using service = await TestService.start();
  const { gateway, stores } = service.running;
  const app = createPublicApp({
    gateway,
    findKey: () => Promise.resolve(undefined),
    readiness: { unready: () => Promise.resolve(undefined) },
    description: new Description("public"),
    files: { blobs: stores.blobs, links: { verify: () => false } },
  });
  assertEquals(routesOf(app), describedOf("public"), WHAT_TO_DO);
});

Deno.test("every operation beyond the specification's is marked as an extension", () => {
  const called = OPERATIONS.public.filter(({ path }) => /^\/(?:openai|api)\//.test(path));
  const unmarked = called.filter(({ description = "" }) => !/^An extension\b/.test(description));
  const names = unmarked.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  assertEquals(names.sort(), SPECIFIED, 'Begin its description with "An extension"');
});

Deno.test("every route of the admin listener is described, and nothing else", async () => {
  await withAdmin(({ app }) => {
    assertEquals(routesOf(app), describedOf("admin"), WHAT_TO_DO);
    return Promise.resolve();
  });
});

Deno.test("every described address takes the described methods, and no other", async () => {
  await using service = await TestService.start();
  const { publicUrl, adminUrl } = service.running;
  for (const listener of LISTENERS) {
    for (const [path, methods] of Object.entries(documents[listener].paths ?? {})) {
      const url = (listener === "public" ? publicUrl : adminUrl) + path.replace(/\{\w+\}/g, "x");
      const headers = { authorization: "Bearer svc_test_admin_token" };
      const refused = await fetch(url, { method: "PATCH", headers });
      await refused.body?.cancel();
      const taken = refused.headers.get("allow")?.split(", ").filter((name) => name !== "HEAD");
      const described = Object.keys(methods).map((method) => method.toUpperCase());
      assertEquals([refused.status, taken?.sort()], [405, described.sort()], path);
    }
  }
});

for (const listener of LISTENERS) {
  const document = documents[listener];

  Deno.test(`the ${listener} document is valid OpenAPI 3.1`, async () => {
    const { valid, errors } = await new Validator().validate({ ...structuredClone(document) });
    assert(valid, JSON.stringify(errors));
    assertEquals(document.openapi, "3.1.0");
  });

  Deno.test(`patterns of the ${listener} document are read by other languages too`, () => {
    const patterns = JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g);
    for (const [, text = ""] of patterns) {
      const pattern: string = JSON.parse(text);
      // Properties of Unicode, groups with names and looking behind differ between them.
      assertEquals(/\\[pP]\{|\(\?<|\\u\{/.exec(pattern), null, pattern);
    }
  });

  Deno.test(`ids of operations of the ${listener} document are unique`, () => {
    const ids = OPERATIONS[listener].map(({ id }) => id);
    assertEquals(ids.filter((id, index) => ids.indexOf(id) !== index), []);
  });

  Deno.test(`every reference of the ${listener} document leads somewhere, every example fits`, () => {
    const schemas = new Schemas(document);
    let examples = 0;
    for (const { pointer, body, where } of bodiesOf(document)) {
      // Compiling finds references that lead nowhere.
      if (body.schema !== undefined) schemas.problems(pointer, null);
      const shown = Object.values(body.examples ?? {}).map(({ value }) => value);
      for (const example of body.example === undefined ? shown : [body.example]) {
        examples++;
        assertEquals(schemas.problems(pointer, example), undefined, where);
      }
    }
    assert(examples > 10);
  });

  Deno.test(`the ${listener} document holds no secret and no address`, () => {
    const text = JSON.stringify(document).replaceAll(
      /https:\/\/[a-z.]*(?:example|brave|tavily)\.com/g,
      "",
    );
    assertEquals(/https?:\/\/[a-z0-9]/.exec(text)?.[0], undefined);
    assertEquals(/svc_(?:live|admin)_[A-Za-z0-9]/.exec(text)?.[0], undefined);
  });
}

Deno.test("a signed link answers with described statuses, types and headers", async () => {
  await using service = await TestService.start();
  const drawn = await fetch(`${service.openaiUrl}/images/generations`, {
    method: "POST",
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "auto",
      prompt: "A lamp",
      size: "16x16",
      response_format: "url",
    }),
  });
  const url: string = (await drawn.json()).data[0].url;
  const cases: [number, string, RequestInit][] = [
    [200, url, {}],
    [206, url, { headers: { range: "bytes=0-3" } }],
    [416, url, { headers: { range: "bytes=99999-" } }],
    [400, url, { headers: { "x-request-id": "a b" } }],
    [404, `${url}x`, {}],
    [405, url, { method: "POST" }],
  ];
  // What else the answers must be, the service's judge looks at.
  for (const [status, address, init] of cases) {
    const response = await fetch(address, init);
    await response.body?.cancel();
    assertEquals(response.status, status);
  }
});

Deno.test("an admin answer has the description of its operation, else a common one", () => {
  const paths = new Map(Object.entries(documents.admin.paths ?? {}));
  const described = (path: string) => Object(paths.get(path)).get.responses["200"].description;
  assertEquals(described("/admin/v1/ledger/export"), "The journal");
  assertEquals(described("/admin/v1/ledger/verify"), "The answer");
});

Deno.test("every call of a model describes X-Auto, which the listener reads of all of them", () => {
  const headers = Object.entries(PUBLIC_PATHS).flatMap(([name, path]) => {
    const { parameters = [] } = documents.public.paths?.[path]?.post ?? {};
    return parameters.some((parameter) => "name" in parameter && parameter.name === "X-Auto")
      ? [name]
      : [];
  });
  assertEquals(headers.sort(), [
    ...["chat", "embeddings", "images.edits", "images.generations", "responses"],
  ]);
});
