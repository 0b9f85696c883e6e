/**
 * One service that suffers every fault there is, one after the other: each is followed by a call that
 * must be answered as if nothing had been, over whatever connections are left.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { systemClock } from "../../../gateway/system/clock.ts";
import { chunk, FakeUpstream, json, LAST_CHUNK, streamHead } from "../../fixtures/fake_upstream.ts";
import { labConfig } from "../../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService, until } from "../../fixtures/service.ts";
import { ask, assertTold, ENDS, FAULTS, SUBJECTS, wellOf } from "./case.ts";
import { lengthHead } from "./fault.ts";

for (const subject of SUBJECTS) {
  Deno.test(`after every fault an upstream of kind ${subject.kind} is as good as before`, async () => {
    await using upstream = new FakeUpstream();
    let aheadMs = 0;
    // An hour between two calls: no cooldown lasts.
    const clock = {
      nowMs: () => systemClock.nowMs() + (aheadMs += 3_600_000),
      monotonicMs: () => upstream.clock.monotonicMs(),
    };
    const timeouts = { connectMs: 5_000, firstByteMs: 500, idleMs: 500 };
    const settings = { kind: subject.kind, timeouts };
    const config = labConfig({ id: "only", baseUrl: upstream.baseUrl, upstream: settings });
    {
      await using service = await TestService.start({ config, clock });
      let due = 0n;
      for (const [at, fault] of FAULTS.entries()) {
        const stream = at % 2 === 0;
        const well = wellOf(subject.wire, stream);
        const fine = stream
          ? [streamHead(), chunk(well.body), LAST_CHUNK]
          : [{ send: lengthHead(well, new TextEncoder().encode(well.body).length) + well.body }];
        upstream.answer(fault.script(well), fine);
        await (await ask(service, subject, stream)).text();
        due += ENDS[stream ? fault.stream : fault.json][2];
        const response = await ask(service, subject, stream);
        const text = await response.text();
        assertTold(text, { outcome: "whole", response, stream, surface: subject.surface });
        due += ENDS.whole[2];
      }
      await service.quiet();
      assertEquals((await service.wallet()).spent, due);
      await service.assertBooks();
      assertEquals(upstream.requests.length, 2 * FAULTS.length);
      assert(upstream.open <= 3, `${upstream.open} connections are left`);
    }
    await until(() => upstream.open === 0, "every connection to be closed");
  });
}

/** More than any buffer on the way holds, and less than the gateway takes. */
const LONG_PROMPT = "x ".repeat(3 * 1024 * 1024);

for (const answers of [true, false]) {
  const what = answers ? "answers before it has read" : "never reads";
  Deno.test(`an upstream that ${what} a request of six megabytes`, async () => {
    await using upstream = new FakeUpstream();
    const [subject] = SUBJECTS;
    assert(subject !== undefined);
    const whole = JSON.stringify(
      subject.wire.whole({ pieces: ["Hi"], usage: { input: 7, output: 1 } }),
    );
    const head = lengthHead({ ...wellOf(subject.wire, false) }, whole.length);
    upstream.answer([{ unread: true }, ...answers ? [{ send: head + whole }] : [], {
      stall: true,
    }]);
    const timeouts = { firstByteMs: 1_500, idleMs: 1_500 };
    const model = { id: "only", baseUrl: upstream.baseUrl, upstream: { timeouts } };
    await using service = await TestService.start({
      config: labConfig({ ...model, more: { contextTokens: 10_000_000 } }),
    });
    const response = await fetch(`${service.openaiUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: LONG_PROMPT }] }),
    });
    const text = await response.text();
    assertEquals(response.status, answers ? 200 : 504, text);
    await service.quiet();
    assertEquals((await service.wallet()).spent, answers ? 9_000n : 0n);
    await service.assertBooks();
    if (!answers) await until(() => upstream.open === 0, "the connection to be closed");
  });
}

Deno.test("an upstream answers with JSON as long as an answer may be, and it is passed on", async () => {
  await using upstream = new FakeUpstream();
  const [subject] = SUBJECTS;
  assert(subject !== undefined);
  const pieces = ["word ".repeat(2 * 1024 * 1024)];
  upstream.answer(json(subject.wire.whole({ pieces, usage: { input: 7, output: 1 } })));
  await using service = await TestService.start({
    config: labConfig({ id: "only", baseUrl: upstream.baseUrl }),
  });
  const response = await ask(service, subject, false);
  const { choices } = await response.json();
  assertEquals(choices[0].message.content, pieces[0]);
  assertEquals((await service.wallet()).spent, 9_000n);
});
