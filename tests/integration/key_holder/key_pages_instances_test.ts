/**
 * Pages of key holders at several services on one PostgreSQL database: a link of one works at any
 * other, once in all, and so does the session.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { newDatabase, postgresBin, startPostgres } from "../../fixtures/postgres.ts";
import { TestService } from "../../fixtures/service.ts";

const bin = await postgresBin();

/** Signs in at a service; returns the secret of the session. */
async function enter({ running }: TestService, code: string): Promise<string | undefined> {
  const response = await fetch(`${running.publicUrl}/me/sign-in`, {
    method: "POST",
    headers: { origin: running.publicUrl },
    body: new URLSearchParams({ code }),
    redirect: "manual",
  });
  await response.text();
  return /=(svc_me_\w+);/.exec(response.headers.get("set-cookie") ?? "")?.[1];
}

/** Asks a service for a page, with the cookie under the name that it has there. */
async function statusAt(service: TestService, secret: string): Promise<number> {
  return (await pageAt(service, secret)).status;
}

async function pageAt(
  { running: { publicUrl } }: TestService,
  secret: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const { port } = new URL(publicUrl);
  const headers = { cookie: `svc_holder_${port}=${secret}`, accept: "text/html" };
  const response = await fetch(`${publicUrl}/me/key`, { headers, redirect: "manual" });
  return { status: response.status, text: await response.text() };
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("a link and its session work at every instance, and end at all of them", async () => {
    await using server = await startPostgres(bin);
    const { url, drop } = await newDatabase(server);
    const settings = { store: { kind: "postgres", url } } as const;
    {
      await using one = await TestService.start({ settings });
      await using other = await TestService.start({ settings });
      const { id, wallet } = await one.newKey();
      const { code } = await one.admin("POST", `/keys/${id}/sign-in-link`);
      const secrets = await Promise.all(
        [other, one, other, one].map((service) => enter(service, String(code))),
      );
      const [secret, ...more] = secrets.filter((each) => each !== undefined);
      assert(secret !== undefined && more.length === 0);
      assertEquals([await statusAt(one, secret), await statusAt(other, secret)], [200, 200]);
      await other.admin("POST", "/wallets", { id: "after-the-move", credits: "222" });
      await other.admin("POST", `/keys/${id}/move`, { wallet: "after-the-move", note: "Team" });
      for (const service of [one, other]) {
        const { text } = await pageAt(service, secret);
        assert(text.includes("after-the-move") && text.includes(">222<"), wallet);
      }
      await other.admin("POST", `/keys/${id}/disable`);
      await one.admin("POST", `/keys/${id}/enable`);
      assertEquals([await statusAt(one, secret), await statusAt(other, secret)], [303, 303]);
    }
    await drop();
  });
}
