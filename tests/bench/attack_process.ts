/**
 * An attacker as a process of its own: `attack_process.ts NAME URL KEY`. Prints a line when the attack
 * is in progress, and ends with the process that started it.
 *
 * @module
 */

import { type Bomb, BOMBS } from "../fixtures/bombs.ts";
import { dial, exchange, sendAll } from "../fixtures/raw_http.ts";
import type { LongStream } from "./long_stream_process.ts";
import { untilStdinEnds } from "./until_stdin_ends.ts";

/** Connections of those that stop halfway, and of those that do not read: what the marks ask for. */
const HALVES = 1_000;
const STALLED = 200;
/** Attackers at once of those that go on and on. */
const AT_ONCE = 4;

/** Time that readers read, in milliseconds. */
const READING_MS = 8_000;

const CHAT = "/openai/v1/chat/completions";
const encoder = new TextEncoder();

/** The service to attack. */
interface Target {
  readonly url: string;
  readonly key: string;
}

function headOf({ key }: Target, length: number): string {
  return `POST ${CHAT} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

/** Opens so many connections that send this and stop; they stay open. */
async function stop(target: Target, count: number, text: string): Promise<void> {
  const bytes = encoder.encode(text);
  for (let n = 0; n < count; n++) await sendAll(await dial(target.url), bytes);
}

/** Does the same over and over, by several at once; the first round of each is waited for. */
async function repeat(attempt: (n: number) => Promise<unknown>): Promise<void> {
  const rounds = Array.from({ length: AT_ONCE }, (_, first) => {
    const once = (n: number) => attempt(n).catch(() => {});
    const begun = once(first);
    const goOn = async () => {
      for (let n = first + AT_ONCE;; n += AT_ONCE) await once(n);
    };
    void begun.then(goOn);
    return begun;
  });
  await Promise.all(rounds);
}

/** Bombs one after the other, by one attacker: each is sent when the one before it has ended. */
async function drop(target: Target, bombs: readonly Bomb[]): Promise<void> {
  const made = bombs.map((bomb) => ({ ...bomb, bytes: encoder.encode(bomb.body()) }));
  const once = async (n: number) => {
    const bomb = made[n % made.length];
    if (bomb === undefined) return;
    const response = await fetch(`${target.url}/openai/v1/${bomb.path}`, {
      method: "POST",
      headers: { "x-api-key": target.key, "content-type": bomb.type ?? "application/json" },
      body: bomb.bytes,
    });
    await response.bytes();
  };
  await once(0);
  const goOn = async () => {
    for (let n = 1;; n++) await once(n).catch(() => {});
  };
  void goOn();
}

/**
 * 200 kB a second for each reader: twenty times what a model says, so that the system's buffers, some
 * megabytes for each, are full within half a minute. From an upstream that sends as fast as it can, the
 * runtime's HTTP client reads far more ahead for each connection, whether its reader stalls or not.
 */
const PACED: LongStream = { eventBytes: 4_000, megabytes: 100, eventsPerSecond: 50 };

function question(target: Target): string {
  const messages = [{ role: "user", content: JSON.stringify(PACED) }];
  const body = JSON.stringify({ model: "auto", stream: true, messages });
  return headOf(target, body.length) + body;
}

/** As many readers as stall, who read, until all have read a while: no attack, but the same load. */
async function read(target: Target): Promise<void> {
  const endMs = performance.now() + READING_MS;
  const buffers = Array.from({ length: STALLED }, async () => {
    using connection = await dial(target.url);
    await sendAll(connection, encoder.encode(question(target)));
    const buffer = new Uint8Array(64 * 1024);
    while (performance.now() < endMs && await connection.read(buffer) !== null);
  });
  await Promise.all(buffers);
}

/** Name of the attack by readers who do not read. */
export const STALLED_READERS = "stalled readers";

const ATTACKS: Readonly<Record<string, (target: Target) => Promise<void>>> = {
  "half-sent headers": (target) => stop(target, HALVES, headOf(target, 10).slice(0, 90)),
  "half-sent bodies": (target) => stop(target, HALVES, `${headOf(target, 40)}{"model":"auto",`),
  [STALLED_READERS]: (target) => stop(target, STALLED, question(target)),
  "bad keys": (target) =>
    repeat((n) =>
      fetch(target.url + CHAT, {
        method: "POST",
        headers: { "x-api-key": `svc_live_${n}`, "content-type": "application/json" },
        body: "{}",
      }).then((response) => response.text())
    ),
  "broken framing": (target) =>
    repeat(() => exchange(target.url, headOf(target, 5).replace("5", "5, 6"))),
  "headers of 60 kB": (target) =>
    repeat(() =>
      exchange(
        target.url,
        `GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${
          `X-A: ${"a".repeat(590)}\r\n`.repeat(100)
        }\r\n`,
      )
    ),
  "bodies of 40 MB": (target) => {
    const message = encoder.encode(headOf(target, 40_000_000) + " ".repeat(40_000_000));
    return repeat(() => exchange(target.url, message, { answers: 1 }));
  },
  "prompt bombs": (target) => drop(target, BOMBS.prompts),
  "schema bombs": (target) => drop(target, BOMBS.schemas),
  "chat bombs": (target) => drop(target, BOMBS.chats),
  "input bombs": (target) => drop(target, BOMBS.inputs),
  "form bombs": (target) => drop(target, BOMBS.forms),
};

/** Names of the attacks. */
export const ATTACK_NAMES: readonly string[] = Object.keys(ATTACKS);
/** Name of what is no attack, for what as many readers take who read. */
export const READERS = "readers who read";

if (import.meta.main) {
  const [name = "", url = "", key = ""] = Deno.args;
  const attack = name === READERS ? read : ATTACKS[name];
  if (attack === undefined) throw new Error(`Cannot attack by "${name}"`);
  await attack({ url, key });
  console.log("started");
  await untilStdinEnds();
}
