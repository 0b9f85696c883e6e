/**
 * Behaviour of every upstream for a call that fails, for each endpoint and wire: the same failure
 * has the same outcome, and nothing keeps running.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { UpstreamAnswer, UpstreamCall } from "../../gateway/ports/upstream.ts";
import type { AnswerRelay } from "../../gateway/wire/answer_relay.ts";
import { chunk, json, LAST_CHUNK, type Step } from "../fixtures/fake_upstream.ts";
import { GarbageCollection } from "../fixtures/garbage.ts";
import { assertCut, assertFailure, readAll } from "../fixtures/openai_compatible.ts";
import type { Wire } from "../fixtures/upstreams/wire.ts";
import { casesOf, headOf, type OpenUpstream, type StagedCase, TIMEOUTS } from "./staged_case.ts";
import { freePort } from "../fixtures/free_port.ts";

/** An endpoint of an upstream to hold against the contract. */
export interface TransportSubject {
  /** The provider's wire format. */
  readonly wire: Pick<Wire, "text" | "error" | "nonsense" | "streamType">;
  readonly open: OpenUpstream;
  /** A call of the endpoint. */
  call(more: Partial<UpstreamCall>): UpstreamCall;
  /** Follows a stream as the flow does; absent where the endpoint never streams. */
  relay?(): { accept(text: string): ReturnType<AnswerRelay["accept"]> | undefined };
}

/** Holds an upstream's endpoint against every case. */
export function transportContract(name: string, subject: TransportSubject): void {
  new TransportContract(name, subject).declare();
}

class TransportContract {
  readonly #subject: TransportSubject;
  readonly #case: StagedCase;
  /** Forms of answers: true for a stream. */
  readonly #ways: readonly boolean[];
  /** The first half of a stream. */
  readonly #half: readonly Step[];

  constructor(name: string, subject: TransportSubject) {
    this.#subject = subject;
    this.#case = casesOf(name, subject.open);
    this.#ways = subject.relay === undefined ? [false] : [false, true];
    const { frames } = subject.wire.text;
    this.#half = [
      headOf(subject.wire),
      ...frames.slice(0, Math.ceil(frames.length / 2)).map(chunk),
    ];
  }

  declare(): void {
    this.#declareRefusals();
    this.#declareBreaks();
    this.#declareSilence();
    this.#declareCancelling();
    if (this.#subject.relay === undefined) return;
    this.#declareBrokenStreams();
    this.#declareLeaving();
  }

  #declareRefusals(): void {
    const errors: readonly (readonly [number, string])[] = [
      [400, "refused_input"],
      [401, "refused_credentials"],
      [403, "refused_credentials"],
      [429, "rate_limited"],
      [500, "server_error"],
      [503, "server_error"],
      [529, "server_error"],
    ];
    for (const [status, outcome] of errors) {
      for (const stream of this.#ways) {
        const how = stream ? ", streamed" : "";
        this.#case(`status ${status} is ${outcome}${how}`, async ({ fake, upstream }) => {
          const body = this.#subject.wire.error("Nothing doing");
          fake.answer(json(body, { status, headers: { "retry-after": "7" } }));
          const answer = await upstream.call(this.#subject.call({ stream }));
          assert(answer.kind === "failure");
          assertEquals([answer.outcome, answer.status], [outcome, status]);
          assertEquals(answer.retryAfterMs, 7_000);
          assertMatch(answer.message, /Nothing doing/);
          assertEquals(fake.requests.length, 1);
        });
      }
    }
    this.#case("a redirect is not followed", async ({ fake, upstream }) => {
      const headers = { location: `${fake.baseUrl}/elsewhere` };
      fake.answer(json({}, { status: 307, headers }));
      assertFailure(await upstream.call(this.#subject.call({})), "server_error");
      assertEquals(fake.requests.length, 1);
    });
  }

  #declareBrokenStreams(): void {
    const { nonsense = 'data: {"half":\n\n' } = this.#subject.wire;
    this.#case("a stream that is cut between two frames", async ({ fake, upstream }) => {
      fake.answer([...this.#half, { close: true }]);
      const { fault } = await readAll(await upstream.call(this.#subject.call({ stream: true })));
      assertCut(fault, "cut");
    });
    this.#case("a stream that ends politely, but too soon", async ({ fake, upstream }) => {
      fake.answer([...this.#half, LAST_CHUNK]);
      const { fault } = await readAll(await upstream.call(this.#subject.call({ stream: true })));
      assertCut(fault, "cut");
    });
    this.#case("a frame that makes no sense", async ({ fake, upstream }) => {
      fake.answer([...this.#half, chunk(nonsense), { stall: true }]);
      const answer = await upstream.call(this.#subject.call({ stream: true }));
      // A pass-through hands on what it cannot read, and the flow's relay finds out.
      assertCut(await this.#relayed(answer), "malformed");
      await fake.clientLeft();
    });
    // Under garbage collection, because what ends a stream must not be collected before it.
    this.#case("a stream that falls silent", async (stage) => {
      using _collection = new GarbageCollection();
      stage.fake.answer([...this.#half, { stall: true }]);
      const { fault } = await readAll(
        await stage.upstream.call(this.#subject.call({ stream: true })),
      );
      assertCut(fault, "timeout");
      await stage.fake.clientLeft();
    }, { idleMs: 60 });
  }

  #declareBreaks(): void {
    for (const stream of this.#ways) {
      this.#case(`a page instead of an answer${stream ? ", streamed" : ""}`, async (stage) => {
        const headers = { "content-type": "text/html" };
        stage.fake.answer(json("<html>", { headers }));
        assertFailure(await stage.upstream.call(this.#subject.call({ stream })), "malformed");
      });
    }
    this.#case("an answer whose connection breaks", async ({ fake, upstream }) => {
      const [head, body] = json(this.#subject.wire.text.json);
      assert(head !== undefined && body !== undefined && "send" in body);
      fake.answer([head, { send: body.send.slice(0, 20) }, { close: true }]);
      assertFailure(await upstream.call(this.#subject.call({})), "server_error");
    });
    this.#case("a refused connection", async () => {
      const baseUrl = `http://127.0.0.1:${freePort()}/v1`;
      const upstream = this.#subject.open(baseUrl, { timeouts: TIMEOUTS });
      assertFailure(await upstream.call(this.#subject.call({})), "connect_failed");
      assertFailure(await upstream.call(this.#subject.call({ stream: true })), "connect_failed");
      upstream.close();
    });
    this.#case("JSON that is no answer", async ({ fake, upstream }) => {
      fake.answer(json({ weather: "fine" }));
      assertFailure(await upstream.call(this.#subject.call({})), "malformed");
    });
  }

  #declareSilence(): void {
    this.#case("silence before the first byte", async ({ fake, upstream }) => {
      fake.answer([{ stall: true }]);
      assertFailure(await upstream.call(this.#subject.call({})), "timeout");
      await fake.clientLeft();
    }, { firstByteMs: 60 });
    this.#case("silence in the middle of an answer", async ({ fake, upstream }) => {
      const [head, body] = json(this.#subject.wire.text.json);
      assert(head !== undefined && body !== undefined && "send" in body);
      fake.answer([head, { send: body.send.slice(0, 20) }, { stall: true }]);
      assertFailure(await upstream.call(this.#subject.call({})), "timeout");
      await fake.clientLeft();
    }, { firstByteMs: 120, idleMs: 60 });
  }

  #declareLeaving(): void {
    this.#case("leaving early cancels the provider", async ({ fake, upstream }) => {
      fake.answer([...this.#half, { stall: true }]);
      const answer = await upstream.call(this.#subject.call({ stream: true }));
      assert(answer.kind === "stream");
      for await (const _ of answer.events) break;
      await fake.clientLeft();
    });
    this.#case("leaving while a read is pending cancels at once", async ({ fake, upstream }) => {
      fake.answer([...this.#half, { stall: true }]);
      const answer = await upstream.call(this.#subject.call({ stream: true }));
      assert(answer.kind === "stream");
      const events = answer.events[Symbol.asyncIterator]();
      const reading = (async () => {
        while (!(await events.next()).done);
      })();
      await fake.stalling();
      await events.return?.();
      // The pending read may end or break; it must not hang.
      await Promise.allSettled([reading]);
      assertEquals((await events.next()).done, true);
      await fake.clientLeft();
    });
    this.#case("a caller who leaves in mid-stream", async ({ fake, upstream }) => {
      fake.answer([...this.#half, { stall: true }]);
      const controller = new AbortController();
      const { signal } = controller;
      const answer = await upstream.call(this.#subject.call({ signal, stream: true }));
      const reading = readAll(answer);
      await fake.stalling();
      controller.abort();
      assertCut((await reading).fault, "cut");
      await fake.clientLeft();
    });
  }

  #declareCancelling(): void {
    for (const stream of this.#ways) {
      const how = stream ? ", streamed" : "";
      this.#case(`a call that is cancelled while it waits${how}`, async ({ fake, upstream }) => {
        fake.answer([{ stall: true }]);
        const controller = new AbortController();
        const { signal } = controller;
        const answering = upstream.call(this.#subject.call({ signal, stream }));
        await fake.stalling();
        controller.abort();
        assertFailure(await answering, "cancelled");
        await fake.clientLeft();
      });
    }
  }

  /** Ends a stream in the way of the flow. */
  async #relayed(answer: UpstreamAnswer): Promise<unknown> {
    assert(answer.kind === "stream");
    const relay = this.#subject.relay?.();
    try {
      for await (const batch of answer.events) for (const event of batch) relay?.accept(event);
    } catch (fault) {
      return fault;
    }
  }
}
