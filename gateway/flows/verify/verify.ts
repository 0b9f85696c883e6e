/**
 * Verified answers: two cheap models are asked side by side, a third where they differ, and the
 * better model where no two answers are equal.
 *
 * @module
 */

import { agreeingPair, answerKey } from "../../domain/learning/answers.ts";
import { invariant } from "../../domain/invariant.ts";
import type { Candidate, ChosenLadder } from "../../domain/routing/plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { deliveredText } from "../../wire/chat/answer.ts";
import { requestText } from "../../wire/chat/text.ts";
import { unstreamed } from "../../wire/chat/whole_answer.ts";
import type { CallDeps } from "../call/attempt.ts";
import { noteServed } from "../learn/note_served.ts";
import { Breakdown } from "../orchestrate/breakdown.ts";
import type { FinalSurface } from "../orchestrate/orchestrated_answer.ts";
import { conversationOf, type OpenPlan } from "../plan/route_plan.ts";
import { remainingCap } from "../plan/spending_cap.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";
import type { ModelAnswer } from "../request/model_answer.ts";
import { logEnd, type LogEndDeps } from "../settle/log_end.ts";
import {
  AnswerStream,
  type AnswerStreamDeps,
  type StreamedAnswer,
} from "../stream/answer_stream.ts";
import type { StreamDeps } from "../stream/streamed_call.ts";
import { AcceptedAnswer, type AcceptedCompletion, type AcceptedStream } from "./accepted_answer.ts";
import { type CheapAnswer, cheapAnswer } from "./cheap_answer.ts";
import { noteRefusal, openLadder, TOO_DEAR, type VerifiableRequest } from "./open_ladder.ts";
import { AdvanceHolds } from "./advance_holds.ts";

/** Parts of the service that verification uses. */
export type VerifyDeps = CallDeps & StreamDeps & LogEndDeps & AnswerStreamDeps & {
  readonly conversations: { set(conversation: string, model: string): void };
};

/** Delivers a verified answer in the form of an endpoint. */
export interface VerifySurface extends FinalSurface {
  /** Returns the JSON text of an accepted answer, and stores it. */
  accepted(completion: AcceptedCompletion): Promise<string>;
  /** Returns the stream of an accepted answer. */
  acceptedStream(completion: AcceptedCompletion): AcceptedStream;
}

/** A request whose answer may be verified, and its endpoint. */
export interface VerifyRequest extends VerifiableRequest {
  /** Returns the surface of the endpoint. */
  surface(breakdown: Breakdown): VerifySurface;
  /** Called when a stream has been settled, or could not be. */
  onEnd(): void;
}

/** State of one verification. */
interface Run {
  readonly request: VerifyRequest;
  readonly ladder: ChosenLadder;
  readonly breakdown: Breakdown;
  readonly advanceHolds: AdvanceHolds;
  /** The request for a complete answer. */
  readonly body: JsonBody;
}

/**
 * Answers a request by models that verify each other. Resolves to `undefined`, with nothing called,
 * if it is served as usual. Throws a `ServiceFault` if no model answers, and `CallerDisconnected` if
 * the caller disconnects first.
 */
export async function verify(
  deps: VerifyDeps,
  active: ActiveRequest,
  request: VerifyRequest,
): Promise<ModelAnswer | undefined> {
  const ladder = await openLadder(deps, active, request);
  if (ladder === undefined) return undefined;
  active.beginPlanning();
  const advanceHolds = new AdvanceHolds(deps, active);
  if (!await advanceHolds.take([...ladder.cheap.slice(2), ladder.better])) {
    noteRefusal(active, TOO_DEAR);
    return undefined;
  }
  const ids = ladder.cheap.map((_, at) => taskId(at));
  const breakdown = new Breakdown(active, ids);
  const run = { request, ladder, breakdown, advanceHolds, body: unstreamed(request.body) };
  try {
    const answers = await askCheap(deps, active, run);
    const pair = agreeingPair(contentsOf(answers), formOf(run));
    if (pair !== undefined) return await accept(deps, active, { run, answers, pair });
    return await askBetter(deps, active, run);
  } finally {
    advanceHolds.releaseAll();
  }
}

function taskId(at: number): string {
  return `verify-${at + 1}`;
}

function contentsOf(answers: readonly CheapAnswer[]) {
  return answers.map(({ content }) => content);
}

function formOf({ request: { features: { comparable } } }: Run) {
  invariant(comparable !== undefined, "Cannot verify answers that do not compare");
  return comparable;
}

/** Asks two cheap models, and a third if that can decide. */
async function askCheap(
  deps: VerifyDeps,
  active: ActiveRequest,
  run: Run,
): Promise<readonly CheapAnswer[]> {
  const { cheap } = run.ladder;
  const answers = await askSideBySide(deps, active, {
    run,
    candidates: cheap.slice(0, 2),
    from: 0,
  });
  const [third] = cheap.slice(2);
  const form = formOf(run);
  const isOpen = agreeingPair(contentsOf(answers), form) === undefined &&
    contentsOf(answers).some((content) => content && answerKey(content, form) !== undefined);
  if (third === undefined || !isOpen) return answers;
  run.advanceHolds.release(third);
  const more = await askSideBySide(deps, active, { run, candidates: [third], from: 2 });
  return [...answers, ...more];
}

/** Asks models at once. Throws, after all calls have ended, if the request cannot go on. */
async function askSideBySide(
  deps: VerifyDeps,
  active: ActiveRequest,
  { run, candidates, from }: {
    readonly run: Run;
    readonly candidates: readonly Candidate[];
    /** Position of the first in the ladder. */
    readonly from: number;
  },
): Promise<readonly CheapAnswer[]> {
  const { request: { plan, features }, breakdown, body } = run;
  const isCapped = remainingCap(active) !== undefined;
  const answers = await Promise.all(candidates.map((candidate) => {
    // If the request has a cap, its calls share it: none takes the share of another.
    const allowance = isCapped ? candidate.holdAmount : undefined;
    const part = active.part({ name: "verify", stream: false, allowance });
    return cheapAnswer(deps, { part, candidate, plan, body, features });
  }));
  for (const [at, { part, completion }] of answers.entries()) {
    const task = { taskId: taskId(from + at), title: `Answer ${from + at + 1}`, dependsOn: [] };
    breakdown.add(task, { status: completion === undefined ? "failed" : "done", part });
  }
  const fatal = answers.find((answer) => answer.fatal !== undefined)?.fatal;
  if (fatal !== undefined) throw fatal;
  if (active.signal.aborted) throw new CallerDisconnected("The caller left before the answer");
  return answers;
}

/** Delivers an answer that two models gave. */
async function accept(
  deps: VerifyDeps,
  active: ActiveRequest,
  { run, answers, pair: [at, equal] }: {
    readonly run: Run;
    readonly answers: readonly CheapAnswer[];
    readonly pair: readonly [number, number];
  },
): Promise<ModelAnswer> {
  const { request, breakdown } = run;
  const answer = answers[at];
  invariant(answer?.completion !== undefined, "Cannot accept an answer that failed");
  const { candidate, part } = answer;
  const completion = { candidate, ...answer.completion };
  const other = answers[equal]?.candidate.model.id;
  active.report.noteVerification(
    `Verified: ${candidate.model.id} and ${other} gave equal answers`,
    { isVerified: true },
  );
  active.report.answeredBy(part.report, part.startMs);
  deps.conversations.set(conversationOf(active, request.features), candidate.model.id);
  active.noteContent({
    inputText: () => requestText(request.body.value),
    delivered: () => deliveredText(completion.body),
  });
  noteServed(deps, active, {
    candidate,
    billing: part.bill.settled,
    total: active.bill.settled,
    atMs: deps.clock.nowMs(),
  });
  const surface = request.surface(breakdown);
  if (!active.identity.stream) {
    const text = await surface.accepted(completion);
    active.noteOutcome("ok");
    await logEnd(deps, active, { status: 200, outcome: "ok" });
    return { kind: "json", text };
  }
  const stream = surface.acceptedStream(completion);
  return streamed(deps, active, {
    answer: new AcceptedAnswer(deps, active, { ...completion, stream }),
    onEnd: () => request.onEnd(),
  });
}

/** Lets the better model answer; the models that were not asked stand in for it first. */
async function askBetter(
  deps: VerifyDeps,
  active: ActiveRequest,
  { request, ladder, breakdown, advanceHolds }: Run,
): Promise<ModelAnswer> {
  const { better } = ladder;
  active.report.noteVerification(
    `Verified: no two of ${listOf(ladder.cheap)} gave equal answers, so the better model answers`,
    { isVerified: true },
  );
  const plan = planOf(request.plan, ladder);
  active.report.notePlan(plan);
  const surface = request.surface(breakdown);
  const call = { plan, signal: active.signal };
  // Its own hold follows at once, before any other request can take the credits.
  advanceHolds.release(better);
  if (!active.identity.stream) return { kind: "json", text: await surface.complete(call) };
  const answer = await surface.stream(call);
  return streamed(deps, active, { answer, onEnd: () => request.onEnd() });
}

function planOf(plan: OpenPlan, { cheap, better }: ChosenLadder): OpenPlan {
  const ladderIds = new Set([better, ...cheap].map(({ model }) => model.id));
  const others = plan.candidates.filter(({ model }) => !ladderIds.has(model.id));
  return { ...plan, candidates: [better, ...others, ...cheap] };
}

function listOf(candidates: readonly Candidate[]): string {
  const ids = candidates.map(({ model }) => model.id);
  return `${ids.slice(0, -1).join(", ")} and ${ids.at(-1)}`;
}

function streamed(
  deps: VerifyDeps,
  active: ActiveRequest,
  options: { readonly answer: StreamedAnswer; readonly onEnd: () => void },
): ModelAnswer {
  const stream = new AnswerStream(deps, { ...options, active });
  return { kind: "stream", bytes: new ReadableStream(stream) };
}
