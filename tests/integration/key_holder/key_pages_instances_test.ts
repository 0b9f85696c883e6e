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
async function statusAt({ running: { publicUrl } }: TestService, secret: string): Promise<number> {
  const { port } = new URL(publicUrl);
  const headers = { cookie: `svc_holder_${port}=${secret}`, accept: "text/html" };
  const response = await fetch(`${publicUrl}/me/key`, { headers, redirect: "manual" });
  await response.text();
  return response.status;
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
      const { id } = await one.newKey();
      const { code } = await one.admin("POST", `/keys/${id}/sign-in-link`);
      const secrets = await Promise.all(
        [other, one, other, one].map((service) => enter(service, String(code))),
      );
      const [secret, ...more] = secrets.filter((each) => each !== undefined);
      assert(secret !== undefined && more.length === 0);
      assertEquals([await statusAt(one, secret), await statusAt(other, secret)], [200, 200]);
      await other.admin("POST", `/keys/${id}/disable`);
      await one.admin("POST", `/keys/${id}/enable`);
      assertEquals([await statusAt(one, secret), await statusAt(other, secret)], [303, 303]);
    }
    await drop();
  });
}
