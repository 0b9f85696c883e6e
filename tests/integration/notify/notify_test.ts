import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Webhook } from "standardwebhooks";
import { ADMIN_TOKEN, TestService, until } from "../../fixtures/service.ts";
import { HookServer, MailServer } from "./receivers.ts";

const settings = { notifyHosts: ["127.0.0.1"] };

/** Adds a target; its answer. */
function add(service: TestService, body: Record<string, unknown>) {
  return service.admin("POST", "/notify/targets", { name: "Ops", ...body });
}

Deno.test("hooks and mail receive a wallet that runs low, signed and once", async () => {
  await using hooks = new HookServer();
  await using mail = new MailServer();
  await using service = await TestService.start({ settings });
  const { secret } = await add(service, { kind: "webhook", url: hooks.url("/web") });
  await add(service, { kind: "slack", url: hooks.url("/slack?token=quiet") });
  await add(service, {
    kind: "email",
    mail: {
      ...{ host: "127.0.0.1", port: mail.port, security: "none", from: "svc@example.com" },
      to: ["Ops <ops@example.com>"],
    },
  });
  const { wallet, key } = await service.newKey({ credits: "0.01" });
  const low = await service.admin("POST", `/wallets/${wallet}/low-balance`, { below: "0.01" });
  assertEquals(low["low"], true);
  await (await service.chat({ messages: [{ role: "user", content: "Hello" }] }, { key })).text();
  const arrived = () => hooks.requests.length === 2 && mail.letters.length === 1;
  await until(arrived, "every target to be told");
  const [request] = hooks.at("/web");
  assert(request !== undefined);
  // The field's own library reads the signature.
  const payload = new Webhook(String(secret)).verify(
    request.body,
    Object.fromEntries(request.headers),
  );
  const { type, data } = Object(payload);
  assertEquals([type, data.subject, data.phase], ["wallet.low", wallet, "began"]);
  assertEquals(request.headers.get("webhook-id"), data.id);
  assertStringIncludes(hooks.at("/slack")[0]?.body ?? "", `Wallet \\"${wallet}\\" is low`);
  const [letter = ""] = mail.letters;
  assertStringIncludes(letter, `Message-ID: <${data.id}@svc-gateway>`);
  assertStringIncludes(letter, "To: Ops <ops@example.com>");
  await service.admin("POST", `/wallets/${wallet}/credit`, { credits: "100" });
  await until(() => hooks.at("/web").length === 2, "the end");
  const end = JSON.parse(hooks.at("/web")[1]?.body ?? "").data;
  assertEquals([end.phase, end.incident, end.number], ["ended", data.incident, 2]);
});

Deno.test("a receiver that answers 500, redirects or drops gets the same message again", async () => {
  await using hooks = new HookServer();
  await using service = await TestService.start({ settings });
  await add(service, { kind: "webhook", url: hooks.url("/web") });
  const bad = [
    new Response(null, { status: 500 }),
    new Response(null, { status: 302, headers: { location: hooks.url("/elsewhere") } }),
  ];
  hooks.answer = () => bad.shift() ?? new Response();
  await service.admin("POST", "/backups/reports", { problem: "The disk is full" });
  await until(() => hooks.at("/web").length >= 2, "a repetition");
  const ids = hooks.at("/web").map(({ headers }) => headers.get("webhook-id"));
  assertEquals(new Set(ids).size, 1);
  assertEquals(hooks.at("/elsewhere"), []);
  const { deliveries } = await service.admin("GET", "/notify/deliveries?state=pending");
  const [{ problem, attempts }] = Object(deliveries);
  assert(attempts >= 1 && /status (?:500|302)/.test(problem), problem);
});

Deno.test("a test says at once what a receiver answers", async () => {
  await using hooks = new HookServer();
  await using service = await TestService.start({ settings });
  const { id } = await add(service, { kind: "webhook", url: hooks.url("/web") });
  const test = () => service.admin("POST", `/notify/targets/${id}/test`);
  assertEquals(await test(), { ok: true, problem: null });
  assertEquals(JSON.parse(hooks.requests[0]?.body ?? "").type, "test");
  hooks.answer = () => new Response(null, { status: 404 });
  assertEquals(await test(), { ok: false, problem: "The receiver answered with status 404" });
});

Deno.test("what is not delivered at a stop is delivered after the next start, once more if unclear", async () => {
  await using hooks = new HookServer();
  const kvPath = await Deno.makeTempFile({ suffix: ".kv" });
  await Deno.remove(kvPath);
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  {
    await using service = await TestService.start({ settings, kvPath });
    await add(service, { kind: "webhook", url: hooks.url("/web") });
    // The receiver has the message, and never answers.
    hooks.answer = () => stopped.then(() => new Response());
    await service.admin("POST", "/backups/reports", { problem: "The disk is full" });
    await until(() => hooks.requests.length === 1, "the message");
  }
  stop();
  await using service = await TestService.start({ settings, kvPath });
  hooks.answer = () => new Response();
  await until(() => hooks.requests.length === 2, "the repetition");
  const [first, second] = hooks.requests.map(({ headers }) => headers.get("webhook-id"));
  assertEquals(first, second);
  await service.admin("POST", "/backups/reports", { problem: null });
  await until(() => hooks.requests.length === 3, "the end");
});

Deno.test("no secret is shown again, and a target is gone with its deliveries", async () => {
  await using service = await TestService.start({ settings });
  const url = "https://hooks.example.com/services/quiet-token?also=quiet";
  const { id, secret } = await add(service, { kind: "webhook", url });
  const password = "quiet-password";
  const mail = { host: "mail.example.com", from: "a@example.com", to: ["b@example.com"] };
  await add(service, { kind: "email", mail: { ...mail, user: "svc", password } });
  await add(service, { kind: "slack", url });
  const shown = JSON.stringify(await service.admin("GET", "/notify/targets"));
  for (const quiet of ["quiet", String(secret)]) assert(!shown.includes(quiet), quiet);
  assertStringIncludes(shown, "https://hooks.example.com");
  assert(!JSON.stringify(service.logs).includes("quiet"));
  const { adminUrl } = service.running;
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const audit = await (await fetch(`${adminUrl}/admin/v1/audit/export`, { headers })).text();
  for (const quiet of ["quiet", String(secret)]) assert(!audit.includes(quiet), audit);
  assertStringIncludes(audit, "https://hooks.example.com");
  assertStringIncludes(audit, "b@example.com by mail.example.com");
  assertEquals(await service.admin("DELETE", `/notify/targets/${id}`), { id, deleted: true });
});
