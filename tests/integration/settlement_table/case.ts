/**
 * One row of the table of endings, on one route through the whole service.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { JournalEntry } from "../../../gateway/domain/ledger/ledger.ts";
import { leaveAfter } from "../../fixtures/event_stream.ts";
import {
  chunk,
  FakeUpstream,
  json,
  LAST_CHUNK,
  type Script,
  type Step,
  streamHead,
} from "../../fixtures/fake_upstream.ts";
import { labConfig, QUESTION } from "../../fixtures/lab.ts";
import { postResponse } from "../../fixtures/responses_calls.ts";
import { CHAT, RESPONSES, type Said, type SaidWire } from "../../fixtures/answered_text.ts";
import { TestService, until } from "../../fixtures/service.ts";
import type { ResponseRoute, Row } from "./row.ts";

/** The route on which a row is tested. */
export interface Way {
  readonly route: ResponseRoute;
  readonly stream: boolean;
}

/** Far longer than a server needs to notice that its client has disconnected, in milliseconds. */
const NOTICED_MS = 200;

const SPARE: Said = { pieces: ["Spare"], usage: { input: 10, output: 5 } };

/** Tests a row: response, bill, journal, log and wallet all agree. */
export async function settleRow(row: Row, way: Way): Promise<void> {
  await using upstream = new FakeUpstream();
  await using spare = new FakeUpstream();
  const gate = Promise.withResolvers<void>();
  upstream.answer(scriptOf(row, way, gate.promise));
  spare.answer(scriptOf({ ...row, output: SPARE, end: "whole" }, way, gate.promise));
  const settings = {
    kind: way.route === "responses, native" ? "openai" : "openai-compatible",
    onDisconnect: row.leaves?.onDisconnect ?? "cancel",
  };
  const first = { id: "first", baseUrl: upstream.baseUrl, quality: 0.9, upstream: settings };
  const second = { id: "second", baseUrl: spare.baseUrl, quality: 0.1, upstream: settings };
  const config = labConfig(first, ...row.spare ? [second] : []);
  await using service = await TestService.start({ config });
  if (row.leaves === undefined) await readAnswer(service, row, way);
  else {
    const leave = way.stream && !row.leaves.early ? leaveStream : leaveEarly;
    await leave(service, row, { way, upstream }).finally(gate.resolve);
    if (row.leaves.onDisconnect === "cancel") await upstream.clientLeft();
  }
  await assertSettled(service, row);
}

/** Returns the upstream's script for the request. */
function scriptOf(row: Row, way: Way, gate: Promise<void>): Script {
  const wire = way.route === "responses, native" ? RESPONSES : CHAT;
  switch (row.end) {
    case "refused":
      return json({ error: { message: "No" } }, { status: 500 });
    case "reset":
      return [{ reset: true }];
  }
  return way.stream ? streamScript(row, wire, gate) : jsonScript(row, wire, gate);
}

function jsonScript({ output, leaves, end }: Row, wire: SaidWire, gate: Promise<void>): Script {
  const whole = json(wire.whole(output));
  if (leaves !== undefined) {
    return leaves.onDisconnect === "cancel" ? [{ stall: true }] : [{ until: gate }, ...whole];
  }
  if (end !== "cut") return whole;
  const [head, body] = whole;
  assert(head !== undefined && body !== undefined && "send" in body);
  return [head, { send: body.send.slice(0, -9) }, { close: true }];
}

function streamScript(row: Row, wire: SaidWire, gate: Promise<void>): Script {
  const { output, leaves } = row;
  const reported = row.end === "cut after usage" ? wire.reported?.(output) : undefined;
  const head = [streamHead(), ...(reported ?? wire.begun(output)).map(chunk)];
  const whole = (final: Said): Step[] => [...wire.ended(final).map(chunk), LAST_CHUNK];
  if (leaves?.onDisconnect === "cancel") {
    return leaves.early ? [{ stall: true }] : [...head, { stall: true }];
  }
  if (leaves?.early) return [{ until: gate }, ...head, ...whole(output)];
  if (leaves !== undefined) {
    const { pieces } = output;
    const rest: Record<NonNullable<typeof leaves.then>, () => readonly Step[]> = {
      "whole": () => whole(output),
      "whole, without usage": () => [
        ...wire.begun({ pieces: [" and more of it"] }).slice(-1).map(chunk),
        ...whole({ pieces: [...pieces, " and more of it"] }),
      ],
      "cut": () => [{ close: true }],
    };
    return [...head, { until: gate }, ...rest[leaves.then ?? "whole"]()];
  }
  switch (row.end) {
    case "cut":
    case "cut after usage":
      return [...head, { close: true }];
    case "too soon":
      return [...head, LAST_CHUNK];
    case "cut at its end": {
      const ended = wire.ended(output).filter((text) => !text.includes("[DONE]"));
      return [...head, ...ended.map(chunk), { close: true }];
    }
    case "failed":
      return [...head, chunk(wire.failed(output)), LAST_CHUNK];
    default:
      return [...head, ...whole(output)];
  }
}

function ask(
  service: TestService,
  row: Row,
  { route, stream, signal }: Way & { readonly signal?: AbortSignal },
): Promise<Response> {
  const init = signal === undefined ? {} : { signal };
  return route === "chat"
    ? service.chat({ messages: QUESTION, stream, ...row.asks }, init)
    : postResponse(service, { input: "Hi", stream, ...row.asks }, init);
}

/** Reads the response to its end: a complete one is marked complete, a broken one never is. */
async function readAnswer(service: TestService, row: Row, way: Way): Promise<void> {
  const response = await ask(service, row, way);
  const text = await response.text();
  assertEquals(response.status, row.status ?? 200, text);
  if (row.status !== undefined) {
    assertEquals(JSON.parse(text).error.code, "upstream_error");
    return;
  }
  const billed = [...text.matchAll(/"charged":"(\d+)\.(\d{6})"/g)];
  assertEquals(billed.map(([, whole, part]) => BigInt(`${whole}${part}`)), [row.charge], text);
  if (!way.stream) return;
  const { end = "whole" } = row;
  const isWhole = end === "whole" || end === "cut at its end" || row.spare === true;
  const clean = way.route === "chat"
    ? /^data: \[DONE\]$/m
    : /^event: response\.(completed|incomplete)$/m;
  const errors = text.match(/"code":"upstream_error"/g) ?? [];
  assertEquals([text.search(clean) >= 0, errors.length], [isWhole, isWhole ? 0 : 1], text);
}

interface Left {
  readonly way: Way;
  readonly upstream: FakeUpstream;
}

/**
 * Reads a stream as far as the row says, and disconnects; resolves when the service has noticed.
 */
async function leaveStream(service: TestService, row: Row, { way }: Left): Promise<void> {
  const call = (signal: AbortSignal) => ask(service, row, { ...way, signal });
  await leaveAfter(row.output.pieces.at(-1) ?? "", call);
  await until(async () => {
    const { models } = await service.admin("GET", "/models");
    assert(Array.isArray(models));
    return models.every(({ inFlight }) => inFlight === 0);
  }, "the service to notice that the caller left");
}

/** Disconnects before the response; resolves when the service must have noticed. */
async function leaveEarly(service: TestService, row: Row, { way, upstream }: Left): Promise<void> {
  const leaving = new AbortController();
  const call = ask(service, row, { ...way, signal: leaving.signal });
  await until(() => upstream.requests.length === 1, "the call to reach the upstream");
  leaving.abort();
  await call.catch(() => {});
  // Nothing is visible from outside.
  await new Promise((resolve) => setTimeout(resolve, NOTICED_MS));
}

async function assertSettled(service: TestService, row: Row): Promise<void> {
  const record = await service.lastRequest();
  const wallet = await service.wallet();
  const { charge, estimated = false, impossible = false } = row;
  assertEquals(wallet.spent, charge);
  assertEquals(await journalOf(service), row.journal);
  assertEquals(BigInt(record.charged.replace(".", "")), charge);
  assertEquals(record.estimated, estimated);
  assertEquals(record.usageProblems?.map(({ model }) => model), impossible ? ["first"] : undefined);
  const problems = service.logs.filter(({ event }) => event === "impossible_usage");
  assertEquals(problems.length, impossible ? 1 : 0);
  await service.assertBooks();
}

/** The journal's entries about calls, as the table writes them. */
export async function journalOf(service: TestService): Promise<string[]> {
  const entries = await Array.fromAsync(service.running.stores.ledger.entries());
  return entries.flatMap(written);
}

function written(entry: JournalEntry): string[] {
  switch (entry.op) {
    case "hold":
      return [`hold ${entry.amount}`];
    case "settle": {
      const { charged, writtenOff } = entry;
      return [`settle ${charged}${writtenOff === 0n ? "" : `, written off ${writtenOff}`}`];
    }
    case "void":
    case "expire":
      return [`${entry.op} ${entry.held}`];
    default:
      return [];
  }
}
