/**
 * Keys with budgets of users and tags, and callers who name themselves or do not.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { TestService } from "../../fixtures/service.ts";

const ASKED = { messages: [{ role: "user", content: "Name a colour" }], max_completion_tokens: 16 };

/** The names of a call, and the key. */
export interface Named {
  readonly key: string;
  readonly user?: string;
  readonly tag?: string;
}

/** Asks a question under names. */
export async function askAs(service: TestService, { key, user, tag }: Named) {
  const headers = tag === undefined ? undefined : { "x-tag": tag };
  const body = user === undefined ? ASKED : { ...ASKED, user };
  const response = await service.chat(body, headers === undefined ? { key } : { key, headers });
  const { error, metadata } = await response.json();
  return {
    ...{ status: response.status, code: error?.code, message: String(error?.message) },
    ...{ param: error?.param, charged: metadata?.billing.charged },
  };
}

/** Asserts that the budgets of a user and of a tag refuse their own calls, and say so. */
export async function assertSpendsOfNames(service: TestService): Promise<void> {
  const budgets = [{ user: "ann", day: "0.000001" }, { tag: "team=search", total: "0.000001" }];
  const { key } = await service.newKey({ policy: { budgets } });
  const refused = [
    { names: { user: "ann" }, says: `The key's budget of user "ann" has 0.000001 credits left` },
    { names: { tag: "a=b,team=search" }, says: `The key's budget of tag "team=search" has` },
  ];
  for (const { names, says } of refused) {
    const { status, code, message } = await askAs(service, { key, ...names });
    assertEquals([status, code], [402, "key_budget_exceeded"]);
    assertStringIncludes(message, says);
  }
  for (const names of [{ user: "ben" }, { tag: "team=mail" }, {}]) {
    assertEquals((await askAs(service, { key, ...names })).status, 200);
  }
}

/** Asserts that a call without a required tag is refused. */
export async function assertDemandsTag(service: TestService): Promise<void> {
  const { key } = await service.newKey({ policy: { requiredTags: ["team"] } });
  for (const names of [{}, { tag: "teams=search" }]) {
    const { status, code, param, message } = await askAs(service, { key, ...names });
    assertEquals([status, code, param], [403, "policy_denied", "X-Tag"]);
    assertStringIncludes(message, `demands the tag "team"`);
  }
  assertEquals((await askAs(service, { key, tag: "team=any" })).status, 200);
}

/** Asserts that a call without a user is refused. */
export async function assertDemandsUser(service: TestService): Promise<void> {
  const { key } = await service.newKey({ policy: { requiredUser: true } });
  const { status, code, param } = await askAs(service, { key, tag: "user=ann" });
  assertEquals([status, code, param], [403, "policy_denied", "user"]);
  assertEquals((await askAs(service, { key, user: "ann" })).status, 200);
  const body = { ...ASKED, safety_identifier: "h1" };
  const response = await service.chat(body, { key });
  assert(response.ok, await response.text());
}
