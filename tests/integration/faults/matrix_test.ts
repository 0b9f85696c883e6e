/**
 * Every fault of an upstream, on every wire, streamed and not: the caller learns the truth, the
 * bill is right to the micro, and no connection stays open.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { FakeUpstream } from "../../fixtures/fake_upstream.ts";
import { labConfig } from "../../fixtures/lab.ts";
import { TestService, until } from "../../fixtures/service.ts";
import { ask, assertTold, ENDS, FAULTS, type Subject, SUBJECTS, wellOf } from "./case.ts";
import type { Fault } from "./fault.ts";

for (const fault of FAULTS) {
  for (const subject of SUBJECTS) {
    for (const stream of [false, true]) {
      const how = stream ? "streamed" : "as one body";
      const name = `an upstream of kind ${subject.kind}: ${fault.name}, ${how}`;
      Deno.test(name, () => suffer(fault, subject, stream));
    }
  }
}

async function suffer(fault: Fault, subject: Subject, stream: boolean): Promise<void> {
  const { kind, surface, wire } = subject;
  await using upstream = new FakeUpstream();
  upstream.answer(fault.script(wellOf(wire, stream)));
  const timeouts = { connectMs: 5_000, firstByteMs: 20_000, idleMs: 20_000, ...fault.limits };
  const config = labConfig({
    id: "only",
    baseUrl: upstream.baseUrl,
    upstream: { kind, timeouts },
  });
  {
    await using service = await TestService.start({ config, clock: upstream.clock });
    const response = await ask(service, subject, stream);
    const outcome = stream ? fault.stream : fault.json;
    assertTold(await response.text(), { outcome, response, surface, stream });
    if (outcome === "limited") assertEquals(response.headers.get("retry-after"), "7");
    await service.quiet();
    const { spent, writtenOff } = await service.wallet();
    assertEquals([spent, writtenOff], [ENDS[outcome][2], 0n]);
    await service.assertBooks();
    assertEquals(upstream.requests.length, 1, "nobody is asked twice");
    if (fault.mayKeep) assert(upstream.open <= 1);
    else await until(() => upstream.open === 0, "the connection to be closed");
    assertEquals(service.logs.filter(({ event }) => event === "internal_error"), []);
  }
  await until(() => upstream.open === 0, "every connection to be closed");
}
