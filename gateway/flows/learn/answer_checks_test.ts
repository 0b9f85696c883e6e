import { assertEquals } from "@std/assert";
import type { ChatRequest } from "@svc/sdk/protocol";
import type { OutcomeNote } from "../../domain/learning/additions.ts";
import type { ObservedAnswer } from "../../domain/learning/answer_check.ts";
import { AnswerChecks, type AnswerNote, REPEAT_CHARS_MAX, REPEAT_MS } from "./answer_checks.ts";

const OK: ObservedAnswer = {
  ...{ text: undefined, hasContent: true, isRefused: false, isCut: false, calls: [] },
};

function note(startedAtMs: number, more: Partial<AnswerNote> & { text?: string } = {}): AnswerNote {
  const { text: content = "Hi", ...rest } = more;
  const request = { model: "auto", messages: [{ role: "user", content }] } as ChatRequest;
  return {
    ...{ walletId: "team", keyId: "key", task: "t", model: "fast", load: 2 },
    ...{ startedAtMs, atMs: startedAtMs + 10, request, requestChars: 100, answer: () => OK },
    ...rest,
  };
}

/** Returns the model and score of every outcome, in order. */
async function outcomesOf(notes: readonly AnswerNote[]): Promise<readonly OutcomeNote[]> {
  const outcomes: OutcomeNote[] = [];
  const checks = new AnswerChecks({
    note: (outcome) => void outcomes.push(outcome),
    nameOf: (text) => text,
  });
  for (const one of notes) checks.add(one);
  // Nothing is checked in the turn of the answer.
  assertEquals(outcomes, []);
  await checks.idle();
  return outcomes;
}

async function scores(...notes: readonly AnswerNote[]): Promise<readonly unknown[]> {
  return (await outcomesOf(notes)).map(({ model, score }) => `${model} ${score}`);
}

Deno.test("an answer is one implicit outcome at a quarter of a vote's weight", async () => {
  const expected = {
    ...{ walletId: "team", task: "t", model: "fast", load: 2, atMs: 11 },
    ...{ source: "implicit", weight: 0.25 },
  };
  assertEquals(await outcomesOf([note(1)]), [{ ...expected, score: 1 } as OutcomeNote]);
  const refused = () => ({ ...OK, isRefused: true });
  assertEquals(await outcomesOf([note(1, { answer: refused })]), [
    { ...expected, score: 0 } as OutcomeNote,
  ]);
  assertEquals(await outcomesOf([note(1, { answer: () => undefined })]), []);
  const broken = () => {
    throw new TypeError("Not an answer");
  };
  assertEquals(await scores(note(1, { answer: broken }), note(1, { text: "More" })), ["fast 1"]);
});

Deno.test("a request asked again counts once against the model that answered before", async () => {
  const again = note(100, { model: "slow" });
  assertEquals(await scores(note(0), again), ["fast 1", "fast 0", "slow 1"]);
  // A program that repeats itself is no dissatisfied reader.
  const third = note(200, { model: "third" });
  assertEquals(await scores(note(0), again, third), ["fast 1", "fast 0", "slow 1", "third 1"]);
});

Deno.test("another request, key or time is not the same request asked again", async () => {
  const first = note(0);
  const one = ["fast 1", "fast 1"];
  assertEquals(await scores(first, note(100, { text: "Hi!" })), one);
  assertEquals(await scores(first, note(100, { keyId: "other" })), one);
  assertEquals(await scores(first, note(11 + REPEAT_MS)), one);
  assertEquals(await scores(first, note(10 + REPEAT_MS)), ["fast 1", "fast 0", "fast 1"]);
  // It began before the answer came.
  assertEquals(await scores(first, note(9)), one);
  const long = { requestChars: REPEAT_CHARS_MAX + 1 };
  assertEquals(await scores(note(0, long), note(100, long)), one);
});

Deno.test("answers beyond the bounds are not checked", async () => {
  const many = Array.from({ length: 1_100 }, (_, at) => note(at, { text: `${at}` }));
  assertEquals((await scores(...many)).length, 1_000);
  const large = Array.from({ length: 20 }, (_, at) => note(at, { requestChars: 1024 * 1024 }));
  assertEquals((await scores(...large)).length, 16);
});

Deno.test("idle() waits for the answers up to now, not for those that keep coming", async () => {
  let checked = 0;
  const checks = new AnswerChecks({ note: () => {}, nameOf: (text) => text });
  const next = note(0, {
    answer: () => {
      if (++checked < 500) checks.add(next);
      return OK;
    },
  });
  checks.add(note(0, { text: "first" }));
  checks.add(next);
  await checks.idle();
  assertEquals(checked >= 1 && checked < 10, true, `${checked}`);
  while (checked < 500) await checks.idle();
});
