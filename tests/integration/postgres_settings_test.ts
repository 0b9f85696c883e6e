/**
 * Several services on one PostgreSQL database: settings that one has changed are in force at all.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { newDatabase, postgresBin, startPostgres } from "../fixtures/postgres.ts";
import { ADMIN_TOKEN, TestService, until } from "../fixtures/service.ts";

const bin = await postgresBin();
const MESSAGES = [{ role: "user", content: "Say hello" }];

/** Runs a test with two services on an empty database. */
async function onTwo(
  test: (one: TestService, other: TestService) => Promise<void>,
): Promise<void> {
  await using server = await startPostgres(bin ?? "");
  const { url, drop } = await newDatabase(server);
  {
    const settings = { store: { kind: "postgres" as const, url } };
    await using one = await TestService.start({ settings });
    await using other = await TestService.start({ settings });
    await test(one, other);
  }
  await drop();
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}

/** Status of an admin's request with a token. */
function adminStatus(service: TestService, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return statusOf(fetch(`${service.running.adminUrl}/admin/v1/wallets`, { headers }));
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("a new pepper is in force at every instance at once, and no good key is refused", async () => {
    await onTwo(async (one, other) => {
      const keys = [await one.newKey(), await one.newKey()];
      for (const { key } of keys) {
        assertEquals(await statusOf(other.chat({ messages: MESSAGES }, { key })), 200);
      }
      for (let round = 0; round < 3; round++) {
        const [here, there] = round === 1 ? [other, one] : [one, other];
        await here.admin("POST", "/pepper/rotate");
        for (const { key } of keys) {
          // The first use moves the key to the new pepper.
          assertEquals(await statusOf(here.chat({ messages: MESSAGES }, { key })), 200);
          assertEquals(await statusOf(there.chat({ messages: MESSAGES }, { key })), 200);
        }
        const isMoved = async () => {
          const { previous } = await there.admin("GET", "/pepper");
          await statusOf(here.chat({ messages: MESSAGES }));
          const { keys: count, adminToken } = previous as { keys: number; adminToken: boolean };
          return count === 0 && !adminToken;
        };
        await until(isMoved, "all keys to move");
        await there.admin("POST", "/pepper/drop");
        // Made at once by the instance that has not made the change.
        const [{ wallet } = { wallet: "" }] = keys;
        const made = await there.admin("POST", "/keys", { name: "later", wallet, policy: {} });
        keys.push({ wallet, key: String(made.key), id: String(made.id) });
      }
    });
  });

  Deno.test("two instances that make a new pepper at once make one", async () => {
    await onTwo(async (one, other) => {
      const { key } = await one.newKey();
      const rotate = ({ running: { adminUrl } }: TestService) => {
        const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
        return statusOf(
          fetch(`${adminUrl}/admin/v1/pepper/rotate`, { method: "POST", headers }),
        );
      };
      assertEquals((await Promise.all([rotate(one), rotate(other)])).sort(), [200, 409]);
      for (const service of [one, other, one]) {
        assertEquals(await statusOf(service.chat({ messages: MESSAGES }, { key })), 200);
      }
    });
  });

  Deno.test("a new admin token is confirmed at another instance, and ends the old one at all", async () => {
    await onTwo(async (one, other) => {
      const { token: stored } = await one.admin("POST", "/admin-token/rotate");
      const confirmed = fetch(`${other.running.adminUrl}/admin/v1/admin-token/confirm`, {
        method: "POST",
        headers: { authorization: `Bearer ${stored}` },
      });
      assertEquals(await statusOf(confirmed), 200);
      const { token: next } = await other.admin("POST", "/admin-token/rotate");
      for (const service of [one, other]) {
        assertEquals(await adminStatus(service, String(next)), 200);
        assertEquals(await adminStatus(service, String(stored)), 200);
      }
      const { token: last } = await one.admin("POST", "/admin-token/rotate");
      assertEquals(await adminStatus(other, String(last)), 200);
      await until(
        async () => await adminStatus(other, String(next)) === 401,
        "the replaced token to end",
      );
    });
  });

  Deno.test("an instance hears of a wallet's low mark that another has set", async () => {
    await onTwo(async (one, other) => {
      const { wallet } = await one.newKey();
      const markAt = async (service: TestService) =>
        (await service.admin("GET", `/wallets/${wallet}`)).lowBelow;
      const before = await markAt(other);
      for (const credits of ["17.000000", "18.000000"]) {
        await one.admin("POST", `/wallets/${wallet}/low-balance`, { below: credits });
        await until(async () => await markAt(other) === credits, "the mark to be heard of");
      }
      assert(before !== "17.000000");
    });
  });

  Deno.test("the live tail and the usage sums of an instance show the calls of all", async () => {
    await onTwo(async (one, other) => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
      const tail = await fetch(`${one.running.adminUrl}/admin/v1/requests/tail`, { headers });
      const lines = tail.body?.pipeThrough(new TextDecoderStream()).getReader();
      assert(lines !== undefined);
      await lines.read();
      const ids: string[] = [];
      for (const service of [other, one, other]) {
        const response = await service.chat({ messages: MESSAGES });
        ids.push(response.headers.get("x-request-id") ?? "");
        await response.body?.cancel();
      }
      let seen = "";
      while (!ids.every((id) => seen.includes(id))) {
        const { value, done } = await lines.read();
        assert(!done);
        seen += value;
      }
      await lines.cancel();
      const sumsAt = (service: TestService) => service.admin("GET", "/usage?by=model");
      assertEquals(await sumsAt(one), await sumsAt(other));
      assert(JSON.stringify(await sumsAt(one)).includes('"requests":3'));
    });
  });
}
