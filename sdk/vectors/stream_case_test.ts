/** Runs a case of the kind `streams`: one recorded stream, whole, in pieces, and broken off. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { ServiceClient, ServiceConnectionError } from "../mod.ts";
import { METHODS } from "./client_methods_test.ts";
import { framed, inPieces } from "./scripted_answers_test.ts";
import { asJson, type Fields, valueAt, type VectorCase } from "./vector_file_test.ts";

const encoder = new TextEncoder();

/** Result and events of a stream whose bytes arrive in these pieces. */
async function read(one: VectorCase, pieces: readonly Uint8Array[], events: unknown[]) {
  const client = new ServiceClient({
    ...{ apiKey: "svc_live_key", apiBaseUrl: "http://svc.test", timeoutMs: 0 },
    defaultLocalTools: false,
    fetch: () =>
      Promise.resolve(
        new Response(inPieces(pieces) as BodyInit, {
          headers: { "content-type": "text/event-stream", ...Object(one["headers"]) },
        }),
      ),
  });
  const method = METHODS[String(one["method"])];
  assert(method !== undefined);
  return await method({
    client,
    request: Object(one["request"]),
    options: {},
    onEvent: (event) => void events.push(asJson(event)),
  });
}

async function checkWhole(one: VectorCase, pieces: readonly Uint8Array[]): Promise<void> {
  const { answer, events: expected = one["events"], outputText }: Fields = Object(one["expect"]);
  const events: unknown[] = [];
  const result = Object(await read(one, pieces, events));
  assertEquals(events, expected);
  if (outputText !== undefined) assertEquals(result["output_text"], outputText);
  for (const [pointer, value] of Object.entries(Object(answer))) {
    assertEquals(valueAt(asJson(result), pointer) ?? null, value, pointer);
  }
}

/** Runs a case: in one piece, byte by byte, in two pieces cut at every byte, and cut short. */
export async function runStream(one: VectorCase): Promise<void> {
  const events: readonly unknown[] = Object(one["events"]);
  const end = one["end"] === undefined ? "[DONE]" : one["end"] as string | null;
  const bytes = encoder.encode(framed(events, end));
  await checkWhole(one, [bytes]);
  await checkWhole(one, [...bytes].map((byte) => Uint8Array.of(byte)));
  for (let at = 1; at < bytes.length; at++) {
    await checkWhole(one, [bytes.slice(0, at), bytes.slice(at)]);
  }
  await checkCutShort(one, events);
}

/**
 * Ends the stream after each number of events, with and without its end. It is complete from the
 * number on that the case states, and a broken connection before.
 */
async function checkCutShort(one: VectorCase, events: readonly unknown[]): Promise<void> {
  const { withEnd, withoutEnd }: Fields = Object(one["completeFrom"]);
  for (let count = 0; count <= events.length; count++) {
    for (const [end, from] of [["[DONE]", withEnd], [null, withoutEnd]] as const) {
      const pieces = [encoder.encode(framed(events.slice(0, count), end))];
      if (typeof from === "number" && count >= from) {
        await read(one, pieces, []);
        continue;
      }
      const why = `${count} events, then ${end}`;
      await assertRejects(() => read(one, pieces, []), ServiceConnectionError, "", why);
    }
  }
}
