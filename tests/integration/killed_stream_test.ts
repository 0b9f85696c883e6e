/**
 * The service is killed, as by `kill -9`, while it streams: the next start charges what had been made
 * durable of it, and says so.
 *
 * @module
 */

import { assert, assertEquals, assertGreater, assertLessOrEqual } from "@std/assert";
import { join } from "@std/path";
import { parseCredits } from "../../gateway/domain/ledger/money.ts";
import { createTokenCounter } from "../../gateway/tokens/token_counter.ts";
import { readUntil } from "../fixtures/event_stream.ts";
import { chunk, FakeUpstream, streamHead } from "../fixtures/fake_upstream.ts";
import { chunkText, INPUT_MICROS, labConfig, OUTPUT_MICROS } from "../fixtures/lab.ts";
import { ADMIN_TOKEN, BOOTSTRAP_KEY } from "../fixtures/service.ts";
import { ServiceProcess } from "../fixtures/service_process.ts";

const ENV = { SERVICE_ADMIN_TOKEN: ADMIN_TOKEN, SERVICE_BOOTSTRAP_KEY: BOOTSTRAP_KEY };
const QUESTION = "How do tides come about?";
/** Time between two words: so the number of words that came tells how long the service has lived. */
const WORD_MS = 50;
/** Words after which it is killed: by then it has streamed for six seconds, three checkpoints long. */
const WORDS_READ = 120;

/** A model that talks slowly and never ends. */
function talking(): FakeUpstream {
  const upstream = new FakeUpstream();
  const event = (text: string) => chunk(`data: ${text}\n\n`);
  const words = Array.from({ length: 2 * WORDS_READ }, (_, at) => [
    event(chunkText({ content: `word${at} ` })),
    { waitMs: WORD_MS },
  ]);
  const role = event(chunkText({ role: "assistant", content: "" }));
  upstream.answer([streamHead(), role, ...words.flat(), { stall: true }]);
  return upstream;
}

async function ask(url: string): Promise<Response> {
  const messages = [{ role: "user", content: QUESTION }];
  return await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", messages, stream: true }),
  });
}

async function admin(url: string, path: string): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const response = await fetch(`${url}/admin/v1${path}`, { headers });
  const answer = await response.json();
  assertEquals(response.status, 200, JSON.stringify(answer));
  return answer;
}

/** Returns the text of a stream so far. */
function saidIn(stream: string): string {
  return [...stream.matchAll(/"content":"(word\d+ )"/g)].map(([, word]) => word).join("");
}

Deno.test("a stream that kill -9 cuts is charged at most what was delivered", async () => {
  const folder = await Deno.makeTempDir();
  const kvPath = join(folder, "svc.kv");
  await using upstream = talking();
  const configPath = join(folder, "svc.json");
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
  await Deno.writeTextFile(configPath, JSON.stringify(config));
  await using first = await ServiceProcess.start(kvPath, ENV, { config: configPath });
  const response = await ask(`${first.publicUrl}/openai/v1`);
  assertEquals(response.status, 200);
  const reader = response.body?.getReader();
  assert(reader !== undefined);
  let stream = await readUntil(reader, `word${WORDS_READ} `);
  await first.end("SIGKILL");
  // What was on its way when it died has been delivered too.
  const decoder = new TextDecoder();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      stream += decoder.decode(piece.value, { stream: true });
    }
  } catch {
    // The connection broke off.
  }

  await using second = await ServiceProcess.start(kvPath, ENV, { config: configPath });
  const wallet = await admin(second.adminUrl, "/wallets/default");
  assertEquals(wallet["held"], "0.000000");
  const spent = parseCredits(String(wallet["spent"])) ?? 0n;
  assertGreater(spent, 0n);
  const { count } = createTokenCounter();
  const delivered = BigInt(await count(QUESTION)) * INPUT_MICROS +
    BigInt(await count(saidIn(stream))) * OUTPUT_MICROS;
  assertLessOrEqual(spent, delivered);
  const { requests } = await admin(second.adminUrl, "/requests");
  assert(Array.isArray(requests));
  assertEquals(requests.length, 1);
  const { outcome, status, charged, estimated, model } = requests[0];
  assertEquals([outcome, status, estimated, model], ["killed", 200, true, "only"]);
  assertEquals(charged, wallet["spent"]);
  await second.end("SIGTERM");
  await Deno.remove(folder, { recursive: true });
});
