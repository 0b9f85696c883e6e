/**
 * Fixtures for tests of answers of several turns: scripts of turns, and a flow that plays them.
 *
 * @module
 */

import fc from "fast-check";
import type { Usage } from "../../domain/ledger/pricing.ts";
import { chunkText, END } from "../responses/responses_fixture.ts";
import type { EndedTurn, FindCitations, HostedCall, HostedOutcome, HostedRelay } from "./relay.ts";

/** The names of the service's own tools. */
export const HOSTED = { web_search_preview: "web_search", file_search: "search_files" };

/** A call that a model makes. */
export interface ScriptedCall {
  readonly name: string;
  readonly arguments: string;
  /** JSON text. */
  readonly extra?: string | undefined;
}

/** Content of a model's turn. */
export interface ScriptedTurn {
  readonly reasoning: string;
  readonly content: string;
  readonly refusal?: string;
  readonly calls: readonly ScriptedCall[];
  readonly finish: string;
  /** Length of the pieces that it comes in. */
  readonly cut: number;
  /** Names of hosted tools come in two pieces. */
  readonly splitNames?: boolean;
}

/** A turn with what is not told left empty. */
export function turnOf(turn: Partial<ScriptedTurn>): ScriptedTurn {
  return { reasoning: "", content: "", calls: [], finish: "stop", cut: 5, ...turn };
}

function callOf(...names: string[]): fc.Arbitrary<ScriptedCall> {
  return fc.record({
    name: fc.constantFrom(...names),
    arguments: fc.string(),
    extra: fc.option(
      fc.string().map((signature) => `{"google":{"s":${JSON.stringify(signature)}, "n":1.0}}`),
      { nil: undefined },
    ),
  });
}

const hostedCall = callOf(...Object.values(HOSTED));
const anyCall = callOf(...Object.values(HOSTED), "f", "web", "web_searcher", "lookup");

function turn(calls: fc.Arbitrary<ScriptedCall[]>, finishes: string[]) {
  return fc.record({
    reasoning: fc.string(),
    content: fc.oneof(fc.constant(""), fc.string({ unit: "binary" })),
    calls,
    finish: fc.constantFrom(...finishes),
    cut: fc.integer({ min: 1, max: 5 }),
    splitNames: fc.boolean(),
  });
}

/** Turns that search, and one that ends the answer, whatever it calls. */
export const script: fc.Arbitrary<readonly ScriptedTurn[]> = fc.tuple(
  fc.array(turn(fc.array(hostedCall, { minLength: 1, maxLength: 3 }), ["tool_calls", "stop"]), {
    maxLength: 3,
  }),
  turn(fc.array(anyCall, { maxLength: 4 }), ["stop", "length", "content_filter", "tool_calls"]),
).map(([turns, last]) => [...turns, last]);

function pieces(text: string, size: number): string[] {
  const slices: string[] = [];
  for (let at = 0; at < text.length; at += size) slices.push(text.slice(at, at + size));
  return slices;
}

/** The usage that each turn reports. */
export const TURN_USAGE = {
  prompt_tokens: 10,
  completion_tokens: 4,
  total_tokens: 14,
  prompt_tokens_details: { cached_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

/** The chunks of a turn. */
export function chunksOf(turn: ScriptedTurn, number: number): string[] {
  const { cut } = turn;
  const deltas: string[] = [JSON.stringify({ role: "assistant", content: "" })];
  for (const piece of pieces(turn.reasoning, cut)) {
    deltas.push(JSON.stringify({ reasoning_content: piece }));
  }
  for (const piece of pieces(turn.content, cut)) deltas.push(JSON.stringify({ content: piece }));
  if (turn.refusal !== undefined) deltas.push(JSON.stringify({ refusal: turn.refusal }));
  for (const [index, { name, extra }] of turn.calls.entries()) {
    const isSplit = turn.splitNames === true && Object.values(HOSTED).includes(name);
    const [first, rest] = isSplit ? [name.slice(0, 3), name.slice(3)] : [name, ""];
    const head = { index, id: `call_${number}_${index}`, type: "function" };
    const call = JSON.stringify({ ...head, function: { name: first, arguments: "" } });
    const signed = extra === undefined ? call : `${call.slice(0, -1)},"extra_content":${extra}}`;
    deltas.push(`{"tool_calls":[${signed}]}`);
    if (rest !== "") {
      deltas.push(JSON.stringify({ tool_calls: [{ index, function: { name: rest } }] }));
    }
  }
  for (const [index, { arguments: input }] of turn.calls.entries()) {
    for (const piece of pieces(input, cut)) {
      deltas.push(JSON.stringify({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  }
  return [
    ...deltas.map((delta) => chunkText("@").replace('"@"', () => delta)),
    chunkText({}, { finish_reason: turn.finish }),
    JSON.stringify({ id: "c1", choices: [], usage: TURN_USAGE }),
  ].map((text) => text.replace('"id":"c1"', `"id":"c${number}"`));
}

/** Result of a script. */
export interface Played {
  readonly sent: string;
  readonly turns: readonly EndedTurn[];
  readonly calls: readonly HostedCall[];
}

/** The sums of all turns. */
export function usageOf(turns: number): Usage {
  return { inputTokens: 10 * turns, cachedInputTokens: 3 * turns, outputTokens: 4 * turns };
}

/** Plays turns as the flow does; each search has the outcome that `outcomeOf` tells. */
export function played(
  relay: HostedRelay,
  turns: readonly ScriptedTurn[],
  outcomeOf: (call: HostedCall) => HostedOutcome = () => ({ status: "completed" }),
): Played {
  let sent = "";
  const ended: EndedTurn[] = [];
  const calls: HostedCall[] = [];
  for (const [number, turn] of turns.entries()) {
    for (const text of chunksOf(turn, number)) sent += relay.accept(text);
    relay.upstreamEnded();
    const end = relay.endTurn();
    sent += end.events;
    ended.push(end);
    const searches: HostedCall[] = [];
    for (const { name } of end.calls) {
      const type = name === HOSTED.web_search_preview ? "web_search_preview" : "file_search";
      if (!Object.values(HOSTED).includes(name)) continue;
      const id = `${type === "file_search" ? "fs" : "ws"}_${calls.length + searches.length}`;
      searches.push({ id, type, query: `query ${id}` });
    }
    for (const call of searches) sent += relay.searching(call);
    for (const call of [...searches].reverse()) sent += relay.searched(call, outcomeOf(call));
    calls.push(...searches);
  }
  for (const event of relay.completed({ ...END, usage: usageOf(turns.length) })) sent += event;
  return { sent, turns: ended, calls };
}

/** Every occurrence of `!` cites a page. */
export const citeMarks: FindCitations = (text) =>
  [...text.matchAll(/!/g)].map(({ index }) => ({
    type: "url_citation",
    start_index: index,
    end_index: index + 1,
    url: "https://a.test/",
    title: "A",
  }));
