/**
 * Replacing a key as specification 5.6 has it: each step a command, and one command for all.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type TestKey, TestService } from "../fixtures/service.ts";
import { svcOn, type SvcOptions } from "../fixtures/svc.ts";

const HELLO = { messages: [{ role: "user", content: "Say hello" }] };

/** True when the service accepts a key. */
async function serves(service: TestService, key: string): Promise<boolean> {
  const response = await service.chat(HELLO, { key });
  await response.body?.cancel();
  return response.status === 200;
}

async function statusOf(service: TestService, id: string) {
  return (await service.admin("GET", `/keys/${id}`)).status;
}

/** Runs the guided command, in words or with `--json`. */
function guided(
  service: TestService,
  { id }: TestKey,
  options: SvcOptions & { flags?: readonly string[] } = {},
) {
  const { flags = [], ...rest } = options;
  return svcOn(service, ["keys", "rotate", id, "--guided", ...flags], rest);
}

Deno.test("each step of a rotation is a command", async () => {
  await using service = await TestService.start();
  const { id, key } = await service.newKey();
  const json = async (args: readonly string[], options?: SvcOptions) => {
    const run = await svcOn(service, [...args, "--json"], options);
    assertEquals([run.code, run.err], [0, ""], args.join(" "));
    return JSON.parse(run.out);
  };
  const copy = await json(["keys", "rotate", id]);
  assertEquals([copy.rotatedFrom, copy.otherCopies], [id, []]);
  const { requestId } = await json(["keys", "verify"], { secret: `${copy.key}\n` });
  assertMatch(requestId, /^verify_/);
  const { requestId: other } = await json(["keys", "verify"], {
    env: { SERVICE_API_KEY: copy.key },
  });
  assert(requestId !== other);
  const confirmed = await json(["keys", "confirm", copy.id, "--request-id", requestId]);
  assertEquals([confirmed.confirmed, confirmed.request.requestId], [true, requestId]);
  assertEquals((await json(["keys", "uses", id])).requests, 0);
  assert(await serves(service, key));
  await service.quiet();
  const uses = await json(["keys", "uses", id]);
  assertEquals([uses.requests, uses.more, uses.since], [1, false, copy.createdAt]);
  assert(uses.lastUsedAt !== null);
  assertEquals((await json(["keys", "disable", id])).status, "disabled");
  assertEquals((await json(["keys", "revoke", id, "--yes"])).status, "revoked");
  assertEquals([await serves(service, key), await serves(service, copy.key)], [false, true]);
  const text = async (...flags: string[]) => {
    return (await svcOn(service, ["keys", "uses", ...flags])).out;
  };
  assertMatch(await text(copy.id), /^last used \S+ \S+:00; 3 requests in the last 24h\n$/);
  assertMatch(
    await text(copy.id, "--since", "2020-01-01"),
    /; 3 requests since 2020-01-01 00:00:00/,
  );
  await service.assertBooks();
});

Deno.test("a verification that fails says why, and never shows the key", async () => {
  await using service = await TestService.start();
  const { key } = await service.newKey({ credits: "0" });
  const verify = (secret: string, flags: readonly string[] = []) =>
    svcOn(service, ["keys", "verify", ...flags], { secret });
  const cases: [Awaited<ReturnType<typeof verify>>, RegExp][] = [
    [await verify(key), /refused: The wallet has 0.000000 credits.*\(request verify_/],
    [await verify("svc_live_unknown_key_0"), /refused: The API key is not valid \(request verify_/],
    [await verify(""), /^There is no key: set SERVICE_API_KEY/],
    [await verify("svc_live_ü\u001b[31m"), /^There is no key: set SERVICE_API_KEY/],
    [await verify(key, ["--url", "http://127.0.0.1:1"]), /^Cannot reach the service at http:/],
    [
      await svcOn(service, ["keys", "verify"], { secret: key, env: { SERVICE_PUBLIC_URL: "x" } }),
      /^Cannot call the service at "x": /,
    ],
    [await verify(key, ["--url", "ftp://x"]), /^Cannot call the service at "ftp:/],
    [await verify(key, ["--url", service.running.adminUrl]), /^The call with this key was refused/],
  ];
  for (const [{ code, out, err }, words] of cases) {
    assertEquals([code, out], [1, ""]);
    assertMatch(err, words);
    assert(!err.includes(key) && !err.includes("svc_live_"), err);
  }
});

Deno.test("a key whose policy takes responses only is verified by one", async () => {
  await using service = await TestService.start();
  const { id, key } = await service.newKey({ policy: { endpoints: ["responses"] } });
  const run = await svcOn(service, ["keys", "verify", "--json"], { secret: key });
  assertEquals(run.code, 0, run.err);
  const { requestId } = JSON.parse(run.out);
  const confirm = ["keys", "confirm", id, "--request-id", requestId];
  assertMatch((await svcOn(service, confirm)).out, /^Request log_\w+ of key key_\w+ went to /);
  const images = await service.newKey({ policy: { endpoints: ["images.generations"] } });
  const none = await svcOn(service, ["keys", "verify"], { secret: images.key });
  assertMatch(none.err, /allows images.generations, not responses.* `svc keys confirm`\n$/);
});

Deno.test("a call is confirmed for its own key only, and only where it went well", async () => {
  await using service = await TestService.start();
  const [good, poor] = [await service.newKey(), await service.newKey({ credits: "0" })];
  const headers = { "x-request-id": "mine" };
  for (const { key } of [good, poor]) {
    await (await service.chat(HELLO, { key, headers })).body?.cancel();
  }
  await service.lastRequest();
  const confirm = async (id: string, requestId: string) => {
    return await svcOn(service, ["keys", "confirm", id, "--request-id", requestId]);
  };
  assertEquals((await confirm(good.id, "mine")).code, 0);
  const failed = await confirm(poor.id, "mine");
  assertEquals(failed.code, 1);
  assertMatch(failed.err, /^Request "mine" of key "key_\w+" failed: 402 insufficient_balance\n$/);
  assertMatch((await confirm(good.id, "other")).err, /^The log has no request "other" of key/);
  assertMatch((await confirm("key_none", "mine")).err, /^There is no key "key_none"\n$/);
});

Deno.test("the guided command takes all six steps, and asks before those that cut off", async () => {
  await using service = await TestService.start();
  const old = await service.newKey();
  assert(await serves(service, old.key));
  const run = await guided(service, old, {
    answers: [true, true, true],
    beforeAnswer: async (question) => {
      // Until it is asked about, the old key serves.
      if (/Disable/.test(question)) assert(await serves(service, old.key));
    },
  });
  assertEquals([run.code, run.err], [0, ""]);
  const steps = [...run.out.matchAll(/^(\d\/6 \w+): /gm)].map(([, step]) => step);
  const names = ["Copy", "Store", "Verify", "Confirm", "Disable", "Revoke"];
  assertEquals(steps, names.map((name, index) => `${index + 1}/6 ${name}`));
  assertEquals(run.questions.length, 3);
  assertMatch(run.questions[1] ?? "", /last used .*; 0 requests since .* Disable it\?/);
  const key = /^(svc_live_\w+)$/m.exec(run.out)?.[1] ?? "";
  assertEquals([await serves(service, old.key), await serves(service, key)], [false, true]);
  assertEquals(await statusOf(service, old.id), "revoked");
});

Deno.test("without a terminal the guided command needs --yes, and prints one document", async () => {
  await using service = await TestService.start();
  const old = await service.newKey();
  const nobody = await guided(service, old);
  assertEquals([nobody.code, nobody.out], [1, ""]);
  assertMatch(
    nobody.err,
    /^Cannot ask for confirmation here: run this on a terminal, or with --yes\n$/,
  );
  assertMatch((await guided(service, old, { flags: ["--json"], answers: [] })).err, /with --yes/);
  assertEquals((await service.admin("GET", `/keys/${old.id}`)).status, "active");
  const run = await guided(service, old, { flags: ["--yes", "--json"] });
  assertEquals([run.code, run.err, run.questions], [0, "", []]);
  const { key, done, complete, next, new: made } = JSON.parse(run.out);
  assertEquals([complete, next, done.length], [true, [], 6]);
  assertEquals([made.rotatedFrom, await serves(service, key)], [old.id, true]);
  assertEquals(await statusOf(service, old.id), "revoked");
});

Deno.test("with --yes a key that is in use is not cut off", async () => {
  await using service = await TestService.start();
  const old = await service.newKey();
  assert(await serves(service, old.key));
  await service.quiet();
  const run = await guided(service, old, { flags: ["--yes", "--json"] });
  assertEquals(run.code, 1);
  assertMatch(run.err, /^5\/6 Disable: .*: it is in use.* Continue with: svc keys uses key_/);
  const { key, done } = JSON.parse(run.out);
  assertEquals(done, ["copy", "store", "verify", "confirm"]);
  assertEquals([await serves(service, old.key), await serves(service, key)], [true, true]);
});

Deno.test("a declined question stops the rotation, and the commands to continue are shown", async () => {
  await using service = await TestService.start();
  const cases: [readonly boolean[], string, RegExp][] = [
    [
      [false],
      "active",
      /^2\/6 Store: Stopped. Continue with: put .*; svc keys verify --request-id /,
    ],
    [[true, false], "active", /^5\/6 Disable: Stopped. Continue with: .*; svc keys disable key_/],
    [
      [true, true, false, false],
      "disabled",
      /^6\/6 Revoke: Stopped. Continue with: svc keys revoke/,
    ],
    [[true, true, false, true], "active", /^6\/6 Revoke: Stopped: key key_\w+ is enabled/],
  ];
  for (const [answers, status, words] of cases) {
    const old = await service.newKey();
    const run = await guided(service, old, { answers });
    assertEquals([run.code, await statusOf(service, old.id)], [1, status]);
    assertMatch(run.err, words);
  }
});

Deno.test("a verification that fails stops the rotation before the old key is touched", async () => {
  await using service = await TestService.start();
  const old = await service.newKey({ credits: "0" });
  for (const flags of [["--yes"], []]) {
    const run = await guided(service, old, { flags, answers: [true, true, true] });
    assertEquals([run.code, await statusOf(service, old.id)], [1, "active"]);
    assertMatch(run.err, /^3\/6 Verify: The call with this key was refused: /);
    // The copy that was left behind is found, and a second rotation waits for it.
    const again = await guided(service, old, { flags: ["--yes"] });
    const copy = /has a copy that serves, (key_\w+): continue/.exec(again.err)?.[1];
    assert(copy !== undefined, again.err);
    await service.admin("POST", `/keys/${copy}/revoke`);
  }
});

Deno.test("a gateway that is gone between two steps loses no key", async () => {
  await using service = await TestService.start();
  const old = await service.newKey();
  const gone: typeof fetch = (url, init) =>
    String(url).includes("/requests") ? Promise.reject(new TypeError("gone")) : fetch(url, init);
  const run = await guided(service, old, { flags: ["--yes", "--json"], fetch: gone });
  assertEquals(run.code, 1);
  assertMatch(run.err, /^4\/6 Confirm: Cannot reach the gateway/);
  assert(await serves(service, JSON.parse(run.out).key));
});

Deno.test("keys that cannot be rotated state the reason, and ids may be odd", async () => {
  await using service = await TestService.start();
  const rotate = (id: string, ...flags: string[]) =>
    svcOn(service, ["keys", "rotate", id, ...flags]);
  const [disabled, revoked] = [await service.newKey(), await service.newKey()];
  await service.admin("POST", `/keys/${disabled.id}/disable`);
  await service.admin("POST", `/keys/${revoked.id}/revoke`);
  const expired = await service.newKey({ policy: { expiresAt: "2020-01-01T00:00:00Z" } });
  const limited = await service.newKey({ policy: { requestsPerMinute: 5, models: [] } });
  const looser = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(looser, JSON.stringify({ requestsPerMinute: 6, budget: {} }));
    const cases: [Awaited<ReturnType<typeof rotate>>, string][] = [
      [await rotate(disabled.id), "is disabled and its copy would serve; enable it first"],
      [await rotate(revoked.id), "is revoked for good; create a new one"],
      [await rotate(expired.id), "has expired, and so would its copy; create a new one"],
      [await rotate(limited.id, "--policy", looser), "than before: models, requestsPerMinute"],
      [await rotate("key_\ud800"), 'There is no key "key_\ufffd"'],
      [await rotate("../wallets"), 'There is no key "../wallets"'],
      [await rotate(disabled.id, "--guided", "--yes"), "is disabled"],
    ];
    for (const [{ code, out, err }, words] of cases) {
      assertEquals([code, out], [1, ""], words);
      assertStringIncludes(err, words);
    }
  } finally {
    await Deno.remove(looser);
  }
  const keys = await service.admin("GET", "/keys");
  assertEquals(Array.isArray(keys.keys) && keys.keys.length, 5);
});

Deno.test("of two simultaneous rotations of one key both serve, and the later one is reported", async () => {
  await using service = await TestService.start();
  const { id } = await service.newKey();
  const copies = await Promise.all(
    [1, 2].map(() => svcOn(service, ["keys", "rotate", id, "--json"])),
  );
  for (const copy of copies) assert(await serves(service, JSON.parse(copy.out).key));
  const third = await svcOn(service, ["keys", "rotate", id]);
  assertMatch(third.err, /^Warning: other copies of this key serve too: key_\w+, key_\w+\n$/);
});

Deno.test("an interrupted guided rotation continues with the printed commands", async () => {
  await using service = await TestService.start();
  const old = await service.newKey();
  const broken = await guided(service, old, { answers: [false] });
  const key = /^(svc_live_\w+)$/m.exec(broken.out)?.[1] ?? "";
  const commands = [...broken.out.matchAll(/^ {2}svc (.+)$/gm)].map(([, words = ""]) => words);
  assertEquals(commands.map((words) => words.split(" ")[1]), [
    ...["verify", "confirm", "uses", "disable", "revoke"],
  ]);
  for (const command of commands) {
    // No person is there to confirm.
    const agreed = command.includes("revoke") ? ["--yes"] : [];
    const run = await svcOn(service, [...command.split(" "), ...agreed], { secret: key });
    assertEquals([run.code, run.err], [0, ""], command);
  }
  assertEquals([await statusOf(service, old.id), await serves(service, key)], ["revoked", true]);
});
