/**
 * Tags and users of calls, from the request to the log, the usage and the journal.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { formatCredits, parseCredits } from "../../gateway/domain/ledger/money.ts";
import { ENDPOINTS } from "../../gateway/domain/requests/endpoints.ts";
import { encodeDataUri } from "../../gateway/images/data_uri.ts";
import { PNG } from "../../gateway/images/image_fixture.ts";
import { COMPARISON, orchestrationLab } from "../fixtures/orchestrated.ts";
import { BOOTSTRAP_KEY, TestService, until } from "../fixtures/service.ts";

type Row = Record<string, unknown> & { tags: Record<string, string>; charged: string };

const IMAGE = encodeDataUri({ mediaType: "image/png", bytes: PNG });
const HELLO = { messages: [{ role: "user", content: "Hello" }] };

async function post(service: TestService, path: string, body: object, tags?: readonly string[]) {
  const headers = new Headers({
    ...{ authorization: `Bearer ${BOOTSTRAP_KEY}`, "content-type": "application/json" },
  });
  for (const tag of tags ?? []) headers.append("x-tag", tag);
  return await fetch(`${service.openaiUrl}${path}`, {
    ...{ method: "POST", headers, body: JSON.stringify({ model: "auto", ...body }) },
  });
}

async function rowsOf(service: TestService, query: string): Promise<Row[]> {
  const { requests } = await service.admin("GET", `/requests?${query}`);
  return requests as Row[];
}

interface UsageRow {
  readonly value?: string;
  readonly user?: string;
  readonly kind?: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly charged: string;
}

async function usageOf(service: TestService, query: string): Promise<UsageRow[]> {
  const { usage } = await service.admin("GET", `/usage?${query}`);
  return usage as UsageRow[];
}

/** Looks at the records of the key itself. */
async function own(service: TestService, path: string) {
  const response = await fetch(`${service.running.publicUrl}/api/v1${path}`, {
    headers: { "x-api-key": BOOTSTRAP_KEY },
  });
  return await response.json();
}

Deno.test("calls of every endpoint carry tags and users to the log and to usage", async () => {
  await using service = await TestService.start();
  const calls: [string, object, string[]][] = [
    ["/chat/completions", { ...HELLO, user: "ann" }, ["team=search", "env=prod"]],
    ["/chat/completions", { ...HELLO, user: "ann", stream: true }, ["env=test, team=search"]],
    ["/responses", { input: "Hello", safety_identifier: "h1" }, ["team=mail"]],
    ["/images/generations", { prompt: "A cat", size: "256x256" }, ["team=mail"]],
    ["/images/edits", { prompt: "A dog", images: [{ image_url: IMAGE }], user: "bob" }, [
      "team=mail",
    ]],
    ["/embeddings", { input: "Hello", user: "bob" }, ["team=search"]],
    ["/chat/completions", HELLO, []],
  ];
  for (const [path, body, tags] of calls) {
    const response = await post(service, path, body, tags);
    assertEquals(response.status, 200, await response.text());
  }
  await service.quiet();
  const rows = (await rowsOf(service, "order=oldest")).map((
    { endpoint, user, safetyIdentifier, tags },
  ) => [endpoint, user, safetyIdentifier, tags]);
  assertEquals(rows, [
    ["chat", "ann", null, { env: "prod", team: "search" }],
    ["chat", "ann", null, { env: "test", team: "search" }],
    ["responses", null, "h1", { team: "mail" }],
    ["images.generations", null, null, { team: "mail" }],
    ["images.edits", "bob", null, { team: "mail" }],
    ["embeddings", "bob", null, { team: "search" }],
    ["chat", null, null, {}],
  ]);
  assertEquals(new Set(rows.map(([endpoint]) => endpoint)), new Set<unknown>(ENDPOINTS));
  const countOf = async (query: string) => (await rowsOf(service, query)).length;
  assertEquals(
    [
      await countOf("tag=team%3Dsearch"),
      await countOf("user=h1"),
      await countOf("tag=env%3Dprod&user=ann"),
    ],
    [3, 1, 1],
  );

  const teams = await usageOf(service, "by=tag:team");
  assertEquals(
    teams.map(({ value, kind, requests }) => [value, kind, requests]).sort(),
    [["", "none", 1], ["mail", "named", 3], ["search", "named", 3]],
  );
  const sum = (some: readonly { charged?: string }[]) =>
    formatCredits(some.reduce((all, { charged }) => all + (parseCredits(charged ?? "") ?? 0n), 0n));
  assertEquals(sum(teams), formatCredits((await service.wallet()).spent));
  const mail = await usageOf(service, "by=model&tag=team%3Dmail");
  assertEquals(sum(mail), sum(await rowsOf(service, "tag=team%3Dmail")));
  const users = (await usageOf(service, "by=user")).map(({ user, requests }) => [user, requests]);
  assertEquals(users.sort(), [["", 2], ["ann", 2], ["bob", 2], ["h1", 1]]);

  const ownTeams = await own(service, "/usage?by=tag:team");
  assertEquals([ownTeams.by, ownTeams.usage], ["tag:team", teams]);
  const { requests } = await own(service, "/requests?tag=team%3Dsearch&user=ann");
  assertEquals(requests.map(({ tags }: Row) => tags.env), ["test", "prod"]);
  await service.assertBooks();
});

Deno.test("tasks of a split request inherit its tags and its user", async () => {
  await using lab = await orchestrationLab();
  const { service } = lab;
  const messages = [{ role: "user", content: COMPARISON }];
  const response = await service.chat({ messages, user: "ann" }, {
    headers: { "x-tag": "team=search" },
  });
  const { orchestration } = await response.json();
  assertEquals(orchestration?.tasks.length, 5);
  await service.quiet();
  const { charged, inputTokens, attribution } = await service.lastRequest();
  assertEquals(attribution, { user: "ann", tags: "team=search" });
  for (const by of ["by=tag:team", "by=user"]) {
    const [all, ...others] = await usageOf(service, by);
    assertEquals([all?.charged, all?.inputTokens, others.length], [charged, inputTokens, 0], by);
  }
  await service.assertBooks();
});

Deno.test("bad tags and users are 400 with their param, before anything is held", async () => {
  await using service = await TestService.start();
  const nine = Array.from({ length: 9 }, (_, at) => `n${at}=v`);
  const cases: [object, string[], string][] = [
    [HELLO, nine, "X-Tag"],
    [HELLO, ["team"], "X-Tag"],
    [HELLO, ["team=a b"], "X-Tag"],
    [HELLO, [`team=${"x".repeat(65)}`], "X-Tag"],
    [HELLO, ["team=a", "team=b"], "X-Tag"],
    [{ ...HELLO, user: "u".repeat(257) }, ["team=a"], "user"],
    [{ ...HELLO, safety_identifier: "a\u0007b" }, [], "safety_identifier"],
  ];
  for (const [body, tags, param] of cases) {
    const response = await post(service, "/chat/completions", body, tags);
    const { error } = await response.json();
    assertEquals(
      [response.status, error.code, error.param],
      [400, "invalid_request", param],
      JSON.stringify(tags),
    );
    assert(error.message.length > 20);
  }
  assertEquals((await service.wallet()).spent, 0n);
  // Rows of refusals are written without waiting.
  await until(
    async () => (await rowsOf(service, "status=400")).length === cases.length,
    "rows of the refusals",
  );
});

Deno.test("the audit log costs no call anything: none writes there", async () => {
  await using service = await TestService.start();
  const before = await service.admin("GET", "/audit/verify");
  const calls: [string, object][] = [
    ["/chat/completions", HELLO],
    ["/chat/completions", { ...HELLO, stream: true }],
    ["/responses", { input: "Hello" }],
    ["/images/generations", { prompt: "A cat", size: "256x256" }],
    ["/embeddings", { input: "Hello" }],
  ];
  for (const [path, body] of calls) {
    const response = await post(service, path, { ...body, user: "ann" }, ["team=search"]);
    assertEquals(response.status, 200, await response.text());
  }
  await own(service, "/key");
  await service.quiet();
  assertEquals(await service.admin("GET", "/audit/verify"), before);
});
