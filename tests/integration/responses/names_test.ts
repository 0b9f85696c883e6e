/**
 * Items that only name what is kept: an upstream keeps it for all customers alike, so it is the
 * service that knows whose it is.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { isOwnId } from "../../../gateway/wire/responses/items.ts";
import { FakeUpstream } from "../../fixtures/fake_upstream.ts";
import { answered, refused } from "../../fixtures/responses_calls.ts";
import { twoRoutes } from "../../fixtures/two_routes.ts";

type Fields = Readonly<Record<string, unknown>>;

const USER = { role: "user", content: "On" };
const ROUTES = ["native", "chat"] as const;
const THOUGHT = { type: "reasoning", summary: "So it is." } as const;
const SAID = { type: "message", texts: ["Hello"] } as const;

/** Fields that name an item, by its id. */
const NAMING: readonly (readonly [string, string, (id: string) => Fields])[] = [
  ["a picture", "input.0.id", (id) => ({ type: "image_generation_call", id, result: "AAAA" })],
  ["an empty message", "input.0.id", (id) => ({ role: "assistant", id, content: [] })],
  ["a reference", "input.0.id", (id) => ({ type: "item_reference", id })],
  [
    "an approval",
    "input.0.approval_request_id",
    (id) => ({ type: "mcp_approval_response", approval_request_id: id, approve: true }),
  ],
];

const LOOKED_UP = ["a reference", "an approval"];

for (const [what, path, naming] of NAMING) {
  Deno.test(`${what} of another tenant, or with an unknown id, is refused in the same words`, async () => {
    for (const route of ROUTES) {
      await using routes = await twoRoutes(route, new FakeUpstream());
      const { service, native, chat } = routes;
      const mine = await service.newKey();
      const theirs = await service.newKey();
      const { output } = await answered(service, { input: "Secret" }, theirs.key);
      const before = native.requests.length + chat.requests.length;
      for (const id of [String(output[0]?.id), "rs_of_nobody"]) {
        // No upstream receives the service's own ids: the only question is where they are looked up.
        if (isOwnId(id) && !LOOKED_UP.includes(what)) continue;
        for (const stream of [false, true]) {
          const refusal = await refused(service, { input: [naming(id), USER], stream }, mine.key);
          assertEquals(refusal, {
            status: 400,
            code: "invalid_request",
            param: path,
            message: `Cannot carry "${path}": no item "${id}" is kept here`,
          });
        }
      }
      assertEquals(native.requests.length + chat.requests.length, before);
      assertEquals((await service.wallet(mine.wallet)).spent, 0n);
    }
  });
}

Deno.test("reasoning that its owner was answered with is passed on by its id", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native } = routes;
  native.say({ items: [THOUGHT, SAID] });
  const { output: [thought] } = await answered(service, { input: "Hi" });
  const named = { type: "reasoning", id: String(thought?.id), summary: [] };
  // Named again where it is kept with what the request said.
  for (let turn = 0; turn < 3; turn++) {
    await answered(service, { input: [named, USER] });
    assertEquals(native.last.body["input"], [named, USER]);
  }
});

Deno.test("reasoning of another tenant, or with an unknown id, reaches no upstream, and is left out alike", async () => {
  for (const route of ROUTES) {
    await using routes = await twoRoutes(route, new FakeUpstream());
    const { service, native, chat } = routes;
    const theirs = await service.newKey();
    native.say({ items: [THOUGHT, SAID] });
    const { output } = await answered(service, { input: "Secret" }, theirs.key);
    const mine = await service.newKey();
    const lines: unknown[] = [];
    for (const id of [String(output[0]?.id), "rs_of_nobody"]) {
      const input = [{ type: "reasoning", id, summary: [] }, USER];
      const { metadata } = await answered(service, { input }, mine.key);
      lines.push(metadata.routing?.not_carried);
      const { text } = (route === "native" ? native : chat).last;
      assert(!text.includes(id) && !text.includes('"reasoning"'));
    }
    assertEquals(lines[0], lines[1]);
  }
});

Deno.test("an item that brings its content needs no proof", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native } = routes;
  const input = [
    { type: "reasoning", id: "rs_x", summary: [], encrypted_content: "gAAA" },
    { type: "message", id: "msg_x", role: "assistant", content: "Hello" },
    { type: "function_call", id: "fc_x", call_id: "c", name: "f", arguments: "{}" },
    { type: "function_call_output", id: "fco_x", call_id: "c", output: "1" },
    USER,
  ];
  await answered(service, { input });
  assertEquals(native.last.body["input"], input);
});

Deno.test("an id that a request gave to its own words proves nothing", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native } = routes;
  const forged = [
    { type: "message", id: "rs_victim", role: "assistant", content: "Mine" },
    { type: "reasoning", id: "rs_other", summary: [], encrypted_content: "gAAA" },
    USER,
  ];
  const first = await answered(service, { input: forged });
  for (const id of ["rs_victim", "rs_other"]) {
    const named = { input: [{ type: "reasoning", id, summary: [] }, USER] };
    for (const previous_response_id of [null, first.id]) {
      await answered(service, { ...named, previous_response_id });
      assert(!native.last.text.includes(`"id":"${id}"`));
    }
  }
  // A reference is good for what it said, and no upstream looks it up.
  await answered(service, { input: [{ type: "item_reference", id: "rs_victim" }, USER] });
  assert(!native.last.text.includes("rs_victim"));
  assertEquals(native.last.body["input"], [
    { type: "message", role: "assistant", content: "Mine" },
    USER,
  ]);
});
