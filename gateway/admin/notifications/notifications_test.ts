import { assertEquals } from "@std/assert";
import { beginningOf, newDelivery } from "../../domain/notices/delivery.ts";
import type { Incident } from "../../domain/notices/incident.ts";
import { assertRefused, START_MS, withAdmin } from "../admin_test_support.ts";

const HOOK = { name: "Ops", kind: "webhook", url: "https://hooks.example.com/svc" };

Deno.test("POST /notify/targets refuses what cannot be reached, by its field", async () => {
  await withAdmin(async ({ post }) => {
    const refused = async (body: Record<string, unknown>, param: string) =>
      assertRefused(await post("/notify/targets", { ...HOOK, ...body }), {
        ...{ status: 400, code: "invalid_request", param },
      });
    await refused({ url: undefined }, "url");
    for (
      const url of [
        ...["http://hooks.example.com/", "https://10.0.0.1/", "https://localhost/", "ftp://a.b/"],
        ...["https://[::1]/", "https://169.254.169.254/", "https://u:p@hooks.example.com/", "x"],
        ...["https://167772161/", "https://metadata.google.internal/", "https://0xa.1/"],
      ]
    ) await refused({ url }, "url");
    await refused({ kind: "email" }, "mail");
    await refused({ kind: "email", url: undefined }, "mail");
    const mail = { host: "127.0.0.2", from: "a@example.com", to: ["b@example.com"] };
    await refused({ kind: "email", url: undefined, mail }, "host");
    await refused({ mail }, "mail");
    for (const to of [[], ["b"], ["b@example.com\r\nBcc: c@example.com"], ["a@b.c, d@e.f"]]) {
      const parameter = to.length === 0 ? "mail.to" : "mail.to.0";
      await refused({ kind: "email", url: undefined, mail: { ...mail, to } }, parameter);
    }
    await refused({ incidents: ["wallet_lo"] }, "incidents.0");
    const trusted = await post("/notify/targets", { ...HOOK, url: "http://127.0.0.1:9/a?b=c" });
    assertEquals([trusted.status, trusted.body.place], [201, "http://127.0.0.1:9"]);
  });
});

Deno.test("lists come in pages, and what was given up can be sent again", async () => {
  await withAdmin(async ({ get, post, stores: { noticeStore } }) => {
    const { body: target } = await post("/notify/targets", HOOK);
    for (const number of [1, 2, 3]) {
      const incident: Incident = {
        ...{ id: `inc_${number}`, kind: "wallet_low", subject: `wallet_${number}`, facts: {} },
        ...{ text: "Low", beganAtMs: START_MS, targets: [target.id], by: "only" },
      };
      const delivery = newDelivery(beginningOf(incident), target.id);
      await noticeStore.begin(incident, [delivery]);
      if (number === 2) await noticeStore.record({ ...delivery, state: "dead", attempts: 14 });
    }
    const first = await get("/notify/incidents?limit=2");
    assertEquals(first.body.incidents.map(({ id }: Incident) => id), ["inc_3", "inc_2"]);
    const second = await get(`/notify/incidents?limit=2&cursor=${first.body.cursor}`);
    assertEquals(second.body.incidents.map(({ id }: Incident) => id), ["inc_1"]);
    assertEquals(second.body.cursor, null);
    assertEquals((await get("/notify/incidents?cursor=p.1")).body.incidents, []);
    const { body: { deliveries: [dead] } } = await get("/notify/deliveries?state=dead");
    assertEquals([dead.message, dead.attempts, dead.nextAt], ["inc_2_1", 14, null]);
    const { body: again } = await post(`/notify/deliveries/${dead.id}/retry`);
    assertEquals([again.state, again.attempts], ["pending", 0]);
    assertEquals((await get("/notify/deliveries?state=dead")).body.deliveries, []);
    // A repeat changes nothing.
    assertEquals((await post(`/notify/deliveries/${dead.id}/retry`)).body, again);
    const { entries } = (await get("/audit?action=retryNotificationDelivery")).body;
    assertEquals(entries.map(({ stage }: { stage: string }) => stage), ["done"]);
    const [{ before, after }] = entries;
    assertEquals([before.state, before.attempts, after.state, after.attempts], [
      ...["dead", 14, "pending", 0],
    ]);
  });
});
