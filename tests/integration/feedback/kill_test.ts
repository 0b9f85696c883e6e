/**
 * The service is killed, as by `kill -9`, between votes and the snapshot that counts them: the next
 * start counts each once.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { openKvStores } from "../../../gateway/stores/kv/open.ts";
import { ADMIN_TOKEN, BOOTSTRAP_KEY, WALLET } from "../../fixtures/service.ts";
import { ServiceProcess } from "../../fixtures/service_process.ts";

const ENV = { SERVICE_ADMIN_TOKEN: ADMIN_TOKEN, SERVICE_BOOTSTRAP_KEY: BOOTSTRAP_KEY };
const HEADERS = { authorization: `Bearer ${BOOTSTRAP_KEY}`, "content-type": "application/json" };

async function post(url: string, body: unknown) {
  const init = { method: "POST", headers: HEADERS, body: JSON.stringify(body) };
  const response = await fetch(url, init);
  const answer = await response.json();
  assertEquals(response.status, 200, JSON.stringify(answer));
  return answer;
}

/** Asks and votes so many times; each vote is answered before the next request. */
async function vote(url: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    const messages = [{ role: "user", content: `Question ${n}` }];
    const chat = `${url}/openai/v1/chat/completions`;
    const { metadata } = await post(chat, { model: "auto", messages });
    await post(`${url}/api/v1/feedback`, { request_id: metadata.request_id, score: 0 });
  }
}

/** Returns the votes that the newest stored snapshot includes, over all models. */
async function counted(kvPath: string): Promise<{ number: number; votes: number }> {
  const stores = await openKvStores(kvPath);
  try {
    const snapshot = await stores.snapshots.latest();
    const totals = Object.values(snapshot?.wallets.get(WALLET)?.totals ?? {});
    const weight = totals.reduce((sum, { sums }) => sum + (sums.feedback?.weight ?? 0), 0);
    return { number: snapshot?.number ?? 0, votes: Math.round(weight * 1_000) / 1_000 };
  } finally {
    await stores.close();
  }
}

Deno.test("a kill between votes and a snapshot loses no vote and counts none twice", async () => {
  const folder = await Deno.makeTempDir();
  const kvPath = join(folder, "svc.kv");
  try {
    {
      await using first = await ServiceProcess.start(kvPath, ENV);
      await vote(first.publicUrl, 5);
      await first.end("SIGKILL");
    }
    // No snapshot was taken: a minute had not passed.
    assertEquals(await counted(kvPath), { number: 0, votes: 0 });
    {
      await using second = await ServiceProcess.start(kvPath, ENV);
      await vote(second.publicUrl, 3);
      await second.end("SIGKILL");
    }
    // The second start counted the votes of the first.
    assertEquals(await counted(kvPath), { number: 1, votes: 5 });
    {
      await using third = await ServiceProcess.start(kvPath, ENV);
      await third.end("SIGTERM");
    }
    assertEquals(await counted(kvPath), { number: 2, votes: 8 });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
