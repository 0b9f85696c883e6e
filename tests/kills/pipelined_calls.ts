/**
 * Several requests over one connection, all sent before the first answer is read: while one is
 * answered, the others wait in the operating system.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { requestBytes } from "../bench/load.ts";
import { dial, sendAll } from "../fixtures/raw_http.ts";
import {
  type CallPlan,
  type CallSite,
  type Ending,
  requestOf,
  type Sighting,
  sightingOf,
} from "./calls.ts";

const HEAD_END = "\r\n\r\n";

/**
 * Makes the same call for each site over one connection. Never throws for failures of the service.
 */
export async function pipelinedCalls(
  plan: CallPlan,
  sites: readonly CallSite[],
): Promise<Sighting[]> {
  const without = (ending: Ending) => ({ requestId }: CallSite): Sighting => {
    return { requestId, ending, status: 0, words: 0 };
  };
  let conn: Deno.Conn;
  try {
    conn = await dial(sites[0]?.url ?? "");
  } catch {
    return sites.map(without("refused"));
  }
  using _ = conn;
  const seen: Sighting[] = [];
  try {
    const answers = readAnswers(conn);
    for (const site of sites) await sendAll(conn, bytesOf(plan, site));
    for (const { requestId } of sites) {
      const { value, done } = await answers.next();
      if (done) break;
      seen.push(sightingOf({ requestId, ...value }, plan));
    }
  } catch (error) {
    if (!isConnectionEnd(error)) throw error;
  }
  return [...seen, ...sites.slice(seen.length).map(without("unanswered"))];
}

function bytesOf(plan: CallPlan, { url, secret, requestId }: CallSite): Uint8Array {
  const { path, body } = requestOf(plan);
  const headers = { authorization: `Bearer ${secret}`, "x-request-id": requestId };
  return requestBytes({ url: url + path, headers, body, stream: false });
}

async function* readAnswers(conn: Deno.Conn): AsyncGenerator<{ status: number; text: string }> {
  let bytes = Buffer.alloc(0);
  for (const buffer = new Uint8Array(65_536);;) {
    const head = bytes.indexOf(HEAD_END);
    if (head >= 0) {
      const [, status, length] = /^HTTP\/1\.1 (\d+)[^]*\r\ncontent-length: *(\d+)/i.exec(
        bytes.toString("latin1", 0, head),
      ) ??
        [];
      if (length === undefined) throw new Error(`An answer without a length: ${bytes}`);
      const end = head + HEAD_END.length + Number(length);
      if (bytes.length >= end) {
        yield { status: Number(status), text: bytes.toString("utf8", head + HEAD_END.length, end) };
        bytes = bytes.subarray(end);
        continue;
      }
    }
    const count = await conn.read(buffer);
    if (count === null) return;
    bytes = Buffer.concat([bytes, buffer.subarray(0, count)]);
  }
}

function isConnectionEnd(error: unknown): boolean {
  const { BrokenPipe, ConnectionAborted, ConnectionReset } = Deno.errors;
  return [BrokenPipe, ConnectionAborted, ConnectionReset].some((type) => error instanceof type);
}
