import { keyRecords } from "../../flows/keys/key_records_fixture.ts";
import {
  assert,
  assertEquals,
  assertLessOrEqual,
  assertNotEquals,
  assertRejects,
} from "@std/assert";
import { ServiceFault } from "../../domain/fault.ts";
import { ADMIN_TOKEN, assertRefused, type TestAdmin, withAdmin } from "../admin_test_support.ts";
import { parseTags } from "../../domain/requests/attribution.ts";
import { operatorTag } from "./playground.ts";
import { KEY_LIFETIME_MS, KEYS_MAX, OWN_KEYS_MAX, PlaygroundKeys } from "./playground_keys.ts";

/** An entry of the audit log as the API answers it. */
interface AuditEntry {
  readonly action: string;
  readonly stage: string;
  readonly subject: string;
  readonly who: { readonly name: string };
}

const CALL = { wallet: "team", endpoint: "chat", body: { model: "auto", messages: [] } };

/** Calls as they arrive at the public listener. */
function calls(): { sent: Request[]; callPublic: (request: Request) => Promise<Response> } {
  const sent: Request[] = [];
  return {
    sent,
    callPublic: (request) => {
      sent.push(request);
      const headers = { "content-type": "text/event-stream", "set-cookie": "a=b" };
      return Promise.resolve(new Response("data: {}\n\n", { status: 200, headers }));
    },
  };
}

async function ask({ app }: TestAdmin, body: unknown, token = ADMIN_TOKEN): Promise<Response> {
  return await app.request("/admin/v1/playground", {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "x-request-id": "req_mine",
    },
    body: JSON.stringify(body),
  });
}

/** Ends the keys of whose token it is; returns how many. */
async function end({ app }: TestAdmin, token = ADMIN_TOKEN): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await app.request("/admin/v1/playground", { method: "DELETE", headers });
  return (await answer.json()).revoked;
}

/** Makes operators who may call; returns them with their tokens. */
async function operatorsOf({ post }: TestAdmin, names: readonly string[]) {
  return await Promise.all(names.map(async (name) => {
    const { body: { id } } = await post("/operators", { name, role: "support" });
    const { body: { token } } = await post(`/operators/${id}/tokens`, { name: "t", days: 1 });
    return { id: String(id), token: String(token) };
  }));
}

Deno.test("a call goes to the public listener, with a key of minutes that is named for what it is", async () => {
  const { sent, callPublic } = calls();
  await withAdmin(async (admin) => {
    const answer = await admin.post("/playground", CALL).catch(() => undefined);
    assertEquals(answer, undefined, "an answer that streams is no JSON");
    const [request] = sent;
    assert(request !== undefined);
    assertEquals(new URL(request.url).pathname, "/openai/v1/chat/completions");
    assertEquals(await request.json(), CALL.body);
    const [key] = await keyRecords(admin.deps.keys);
    assertEquals([key?.name, key?.walletId], ["playground (Admin token)", "team"]);
    assertEquals(request.headers.get("x-tag"), "operator=admin-token");
    assertEquals(Date.parse(key?.policy.expiresAt ?? ""), admin.clock.ms + KEY_LIFETIME_MS);
    const presented = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
    assertEquals((await admin.deps.keyRing.authenticate(presented))?.id, key?.id);
  }, { callPublic });
});

Deno.test("one key serves a wallet until it is nearly over, is revoked, or all are ended", async () => {
  const { sent, callPublic } = calls();
  await withAdmin(async (admin) => {
    const { deps, clock } = admin;
    const call = async () => {
      await admin.post("/playground", CALL).catch(() => undefined);
      return sent.at(-1)?.headers.get("authorization");
    };
    const [first, second] = await Promise.all([call(), call()]);
    assertEquals([first, await call()], [second, first]);
    assertEquals((await keyRecords(deps.keys)).length, 1);
    clock.ms += KEY_LIFETIME_MS / 2 + 1;
    const later = await call();
    assertNotEquals(later, first);
    for (const { id } of await keyRecords(deps.keys)) await deps.keyRing.revoke(id);
    const fresh = await call();
    assertNotEquals(fresh, later);
    assertEquals(await end(admin), 1);
    const keys = await keyRecords(deps.keys);
    assertEquals(keys.every(({ status }) => status === "revoked"), true);
  }, { callPublic });
});

Deno.test("each operator calls with a key of their own, and ends no other's", async () => {
  const { sent, callPublic } = calls();
  await withAdmin(async (admin) => {
    const { deps, get } = admin;
    const [kim, lee] = await operatorsOf(admin, ["Kim", "Lee"]);
    assert(kim !== undefined && lee !== undefined);
    for (const { token } of [kim, lee, kim]) await (await ask(admin, CALL, token)).text();
    const presented = sent.map(({ headers }) => headers.get("authorization"));
    assertEquals(presented[0], presented[2]);
    assertNotEquals(presented[0], presented[1]);
    assertEquals(sent.map(({ headers }) => headers.get("x-tag")), [
      ...[`operator=${kim.id}`, `operator=${lee.id}`, `operator=${kim.id}`],
    ]);
    const statuses = async () =>
      (await keyRecords(deps.keys)).map(({ name, status }) => `${name} ${status}`).sort();
    assertEquals(await statuses(), ["playground (Kim) active", "playground (Lee) active"]);
    assertEquals(await end(admin), 0, "The admin token has none");
    assertEquals(await end(admin, lee.token), 1);
    assertEquals(await statuses(), ["playground (Kim) active", "playground (Lee) revoked"]);
    const { body: { entries } } = await get("/audit?limit=100");
    const of = (action: string) =>
      entries.filter((entry: { action: string }) => entry.action === action)
        .map(({ who, stage, subject }: AuditEntry) => [who.name, stage, subject]);
    const keys = await keyRecords(deps.keys);
    const subjectOf = (name: string) => `/keys/${keys.find((key) => key.name === name)?.id}`;
    const [kims, lees] = ["playground (Kim)", "playground (Lee)"].map(subjectOf);
    assertEquals(of("createPlaygroundKey"), [["Lee", "done", lees], ["Kim", "done", kims]]);
    assertEquals(of("endPlayground"), [["Lee", "done", lees]]);
    const [call] = entries.filter(({ action, stage }: AuditEntry) =>
      action === "callPlayground" && stage === "begun"
    );
    assertEquals([call.who.name, call.values], ["Kim", { wallet: "team", endpoint: "chat" }]);
    assertEquals(call.requestId, "req_mine", "The same as of the call in the log");
  }, { callPublic });
});

Deno.test("the keys of an operator end with the operator", async () => {
  const { callPublic } = calls();
  await withAdmin(async (admin) => {
    const { deps, post, app } = admin;
    const authorization = `Bearer ${ADMIN_TOKEN}`;
    const endings: Record<string, (id: string) => Promise<unknown>> = {
      "disabled": (id) => post(`/operators/${id}/disable`),
      "of another role": (id) => post(`/operators/${id}/role`, { role: "viewer" }),
      "without sessions": async (id) => {
        const address = `/admin/v1/operators/${id}/sessions`;
        await app.request(address, { method: "DELETE", headers: { authorization } });
      },
    };
    for (const [name, ended] of Object.entries(endings)) {
      const [operator, other] = await operatorsOf(admin, [name, `beside one ${name}`]);
      assert(operator !== undefined && other !== undefined);
      for (const { token } of [operator, other]) await (await ask(admin, CALL, token)).text();
      await ended(operator.id);
      const keys = await keyRecords(deps.keys);
      const statusOf = (of: string) =>
        keys.find((key) => key.name === `playground (${of})`)?.status;
      assertEquals([statusOf(name), statusOf(`beside one ${name}`)], ["revoked", "active"], name);
    }
  }, { callPublic });
});

Deno.test("an operator has few keys, whose oldest gives way, and all together have not many", async () => {
  const { callPublic } = calls();
  await withAdmin(async (admin) => {
    const { deps, clock, post } = admin;
    const wallets = Array.from({ length: OWN_KEYS_MAX + 1 }, (_, at) => `w${at}`);
    for (const id of wallets) await post("/wallets", { id });
    const callers = await operatorsOf(
      admin,
      Array.from({ length: KEYS_MAX / OWN_KEYS_MAX + 1 }, (_, at) => `Kim ${at}`),
    );
    const [first, ...others] = callers;
    assert(first !== undefined);
    for (const wallet of wallets) await (await ask(admin, { ...CALL, wallet }, first.token)).text();
    const statuses = async (): Promise<(string | undefined)[]> => {
      const keys = await keyRecords(deps.keys);
      return wallets.map((wallet) => keys.find((key) => key.walletId === wallet)?.status);
    };
    const active = Array.from({ length: OWN_KEYS_MAX }, (): string => "active");
    assertEquals(await statuses(), ["revoked", ...active]);
    const answers: number[] = [];
    for (const { token } of others) {
      for (const wallet of wallets.slice(1)) {
        const answer = await ask(admin, { ...CALL, wallet }, token);
        await answer.text();
        answers.push(answer.status);
      }
    }
    const refused = answers.filter((status) => status === 429);
    assertEquals([answers.length, refused.length], [KEYS_MAX, OWN_KEYS_MAX]);
    const serving = (await keyRecords(deps.keys)).filter(({ status }) => status === "active");
    assertEquals(serving.length, KEYS_MAX);
    clock.ms += KEY_LIFETIME_MS;
    assertEquals((await ask(admin, CALL, first.token)).status, 200);
  }, { callPublic });
});

Deno.test("a key that was ended, or had to give way, while it was made serves nobody", async () => {
  await withAdmin(async ({ deps, post }) => {
    const person = { kind: "operator", id: "opr_1", name: "Kim" } as const;
    const kim = { ...person, address: null, requestId: "req_1" };
    const serving = async () =>
      (await keyRecords(deps.keys)).filter(({ status }) => status === "active").length;
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { keyRing } = deps;
    const slow: Pick<typeof keyRing, "issue" | "revoke"> = {
      async issue(...given) {
        begun.resolve();
        await released.promise;
        return await keyRing.issue(...given);
      },
      revoke: keyRing.revoke.bind(keyRing),
    };
    const keys = new PlaygroundKeys({ ...deps, keyRing: slow });
    const [ended] = await Promise.all([
      assertRejects(() => keys.keyOf("team", kim), ServiceFault, "try again"),
      begun.promise.then(() => new PlaygroundKeys(deps).end("opr_1", kim)).then(() =>
        released.resolve()
      ),
    ]);
    assertEquals([ended.code, await serving()], ["conflict", 0]);
    const wallets = Array.from({ length: 2 * OWN_KEYS_MAX }, (_, at) => `w${at}`);
    for (const id of wallets) await post("/wallets", { id });
    await Promise.allSettled(wallets.map((wallet) => keys.keyOf(wallet, kim)));
    assertLessOrEqual(await serving(), OWN_KEYS_MAX);
  });
});

Deno.test("an id of an identity provider is a tag, whatever characters it has", async () => {
  const { sent, callPublic } = calls();
  await withAdmin(async ({ deps }) => {
    const ids = ["sso:auth0|\u00e9 x,y", "sso:auth0|\u00e8 x,y", `sso:${"x".repeat(300)}`];
    const keys = new PlaygroundKeys(deps);
    const authors = ids.map((id) => ({ kind: "sso", id, name: "\u202eKim\n".repeat(40) }) as const);
    const made = await Promise.all(
      authors.map((author) => keys.keyOf("team", { ...author, address: null, requestId: "r" })),
    );
    assertEquals(new Set(made.map(({ id }) => id)).size, ids.length);
    const tags = ids.map(operatorTag);
    assertEquals(new Set(tags).size, ids.length);
    for (const tag of tags) assertEquals(parseTags(tag), tag);
    for (const { name } of await keyRecords(deps.keys)) {
      assert(name.length <= 100 && !/\p{C}/u.test(name), name);
    }
    assertEquals(sent, []);
  }, { callPublic });
});

Deno.test("the answer is passed on as it comes, under the id that was asked with, without the key", async () => {
  const { sent, callPublic } = calls();
  await withAdmin(async (admin) => {
    const answer = await ask(admin, { ...CALL, orchestration: "off" });
    assertEquals(answer.headers.get("content-type"), "text/event-stream");
    assertEquals(answer.headers.get("x-request-id"), "req_mine");
    assertEquals(answer.headers.get("set-cookie"), null);
    assertEquals(await answer.text(), "data: {}\n\n");
    const [request] = sent;
    assertEquals(request?.headers.get("x-request-id"), "req_mine");
    assertEquals(request?.headers.get("x-orchestration"), "off");
    const key = request?.headers.get("authorization")?.slice("Bearer ".length) ?? "";
    assertEquals(JSON.stringify([...answer.headers]).includes(key), false);
    assertEquals(admin.lines.join().includes(key), false);
  }, { callPublic });
});

Deno.test("a call on no wallet, or on an endpoint that there is not, makes no key", async () => {
  await withAdmin(async (admin) => {
    const refused = { status: 400, code: "invalid_request" };
    assertRefused(await admin.post("/playground", { ...CALL, wallet: "taem" }), {
      ...refused,
      param: "wallet",
    });
    assertRefused(await admin.post("/playground", { ...CALL, endpoint: "files" }), refused);
    assertRefused(await admin.post("/playground", { ...CALL, key: "svc_live_x" }), refused);
    assertEquals(await keyRecords(admin.deps.keys), []);
  });
});
