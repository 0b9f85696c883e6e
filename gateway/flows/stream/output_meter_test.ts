import { assert, assertEquals } from "@std/assert";
import { OutputMeter } from "./output_meter.ts";

/** An answer that grows; it counts how often it is looked at. */
class Growing {
  finished = false;
  usedUpBy: number | undefined;
  looks = 0;
  text = "";

  get deliveredChars(): number {
    return this.text.length;
  }

  get delivered(): readonly string[] {
    this.looks += 1;
    return [this.text];
  }
}

/** Words after which the meter says that the answer has passed; none where it never does. */
function wordsUntilPassed(answer: Growing, heldTokens: number, most: number): number | undefined {
  const meter = new OutputMeter(heldTokens);
  for (let words = 1; words <= most; words++) {
    answer.text += " word";
    if (meter.isPassedBy(answer)) return words;
  }
  return undefined;
}

Deno.test("OutputMeter lets an answer of the held tokens pass, and soon ends one of more", () => {
  for (const held of [1, 16, 100, 4_096, 16_384]) {
    const answer = new Growing();
    assertEquals(wordsUntilPassed(answer, held, held), undefined);
    const passed = wordsUntilPassed(new Growing(), held, 3 * held + 100);
    assert(passed !== undefined && passed > held, `${passed} of ${held}`);
    assert(passed <= held + Math.max(16, held / 16) + 1, `${passed} of ${held}`);
  }
});

Deno.test("OutputMeter looks seldom, and not at all far below the limit", () => {
  const short = new Growing();
  assertEquals(wordsUntilPassed(short, 16_384, 3_000), undefined);
  assertEquals(short.looks, 0);
  const long = new Growing();
  wordsUntilPassed(long, 16_384, 20_000);
  assert(long.looks < 40, `${long.looks}`);
});

Deno.test("OutputMeter leaves an answer alone that has its finish, and ends one whose hold is used up", () => {
  const finished = new Growing();
  finished.text = " word".repeat(1_000);
  finished.finished = true;
  const meter = new OutputMeter(10);
  assert(!meter.isPassedBy(finished));
  assert(!meter.isPassedBy(finished));
  const usedUp = new Growing();
  usedUp.usedUpBy = 99;
  assertEquals(wordsUntilPassed(usedUp, 10, 1), 1);
});

Deno.test("OutputMeter ends an answer that continues after its finish", () => {
  const answer = new Growing();
  answer.text = " word".repeat(50);
  answer.finished = true;
  const meter = new OutputMeter(100);
  assert(!meter.isPassedBy(answer));
  answer.text += " word".repeat(40);
  assert(!meter.isPassedBy(answer));
  answer.text += " word".repeat(100);
  assert(meter.isPassedBy(answer));
});
