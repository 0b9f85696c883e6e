/**
 * Behaviour of every upstream that draws, for each provider's wire: requests and answers in
 * OpenAI's form, and the rules of `transport_contract.ts`.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { dataUri, GIF, JPEG, PNG } from "../../gateway/images/image_fixture.ts";
import type { Upstream, UpstreamCall, UpstreamJson } from "../../gateway/ports/upstream.ts";
import { callOf } from "../fixtures/chat_calls.ts";
import { json } from "../fixtures/fake_upstream.ts";
import { assertFailure } from "../fixtures/openai_compatible.ts";
import type { ImageWire } from "../fixtures/upstreams/images.ts";
import { casesOf, type OpenUpstream, type StagedCase, TIMEOUTS } from "./staged_case.ts";
import { transportContract } from "./transport_contract.ts";

/** An upstream to hold against the contract. */
export interface ImageSubject {
  /** The provider's wire format. */
  readonly wire: ImageWire;
  readonly open: OpenUpstream;
  /** The model that it is asked for. */
  readonly model: string;
}

type Fields = Readonly<Record<string, unknown>>;

const [PICTURE, OTHER] = [PNG.toBase64(), GIF.toBase64()];

/** Holds an upstream against every case. */
export function imageContract(name: string, subject: ImageSubject): void {
  new ImageContract(name, subject).declare();
}

class ImageContract {
  readonly #name: string;
  readonly #subject: ImageSubject;
  readonly #case: StagedCase;

  constructor(name: string, subject: ImageSubject) {
    this.#name = `${name} draws`;
    this.#subject = subject;
    this.#case = casesOf(this.#name, subject.open);
  }

  declare(): void {
    this.#declareGenerations();
    this.#declareEdits();
    this.#declareRefusals();
    this.#declareBreaks();
    const { wire, open } = this.#subject;
    transportContract(this.#name, {
      wire: { error: wire.error, text: { json: wire.drawn([PICTURE]), frames: [] } },
      open,
      call: (more) => this.#call({}, more),
    });
  }

  #declareGenerations(): void {
    const { wire } = this.#subject;
    this.#case("an image, with its tokens", async ({ fake, upstream }) => {
      fake.answer(json(wire.drawn([PICTURE])));
      const answer = await this.#drawn(upstream, { size: "1536x1024" });
      assertEquals(imagesIn(answer), [PICTURE]);
      const tokens = { inputTokens: 10, cachedInputTokens: 0, imageInputTokens: 4 };
      const usage = { ...tokens, outputTokens: 100, images: 1 };
      assertEquals(answer.usage, wire.counts ? usage : undefined);
      const { prompt, count, size } = await wire.read(fake.last);
      assertEquals([prompt, count, size], ["A fox", 1, wire.size]);
      assertEquals(fake.requests.length, 1);
    });
    this.#case("two images, in as many requests as it takes", async ({ fake, upstream }) => {
      const portions = wire.atOnce > 1 ? [[PICTURE, OTHER]] : [[PICTURE], [OTHER]];
      fake.answer(...portions.map((images) => json(wire.drawn(images))));
      const answer = await this.#drawn(upstream, { n: 2 });
      assertEquals(imagesIn(answer).sort(), [PICTURE, OTHER].sort());
      assertEquals(fake.requests.length, portions.length);
      const counts = await Promise.all(fake.requests.map(wire.read));
      assertEquals(counts.reduce((sum, { count }) => sum + count, 0), 2);
      if (!wire.counts) return;
      const { inputTokens, outputTokens, images } = answer.usage ?? {};
      const requests = portions.length;
      assertEquals([inputTokens, outputTokens, images], [10 * requests, 100 * requests, 2]);
    });
  }

  #declareEdits(): void {
    const { wire } = this.#subject;
    const edit = { endpoint: "images.edits" } as const;
    const uri = dataUri("image/png", PNG);
    this.#case("an image changed that came as a data URI", async ({ fake, upstream, fetched }) => {
      fake.answer(json(wire.drawn([OTHER])));
      assertEquals(imagesIn(await this.#drawn(upstream, { image: uri }, edit)), [OTHER]);
      const { images, mask, prompt } = await wire.read(fake.last);
      assertEquals([prompt, images, mask], ["A fox", [PICTURE], undefined]);
      assertEquals(fetched, []);
    });
    this.#case("images changed, one of them by address", async ({ fake, upstream, fetched }) => {
      fake.answer(json(wire.drawn([OTHER])));
      const address = `${fake.baseUrl}/a.jpg`;
      await this.#drawn(upstream, { image: [uri, address] }, edit);
      assertEquals((await wire.read(fake.last)).images, [PICTURE, JPEG.toBase64()]);
      // Only the guarded fetch has fetched it.
      assertEquals([fetched, fake.connections, fake.requests.length], [[address], 1, 1]);
    });
    this.#case(
      "an image at a private address, which the guarded fetch refuses",
      async ({ fake }) => {
        const guarded = this.#subject.open(fake.baseUrl, { timeouts: TIMEOUTS });
        try {
          for (const port of [80, fake.port]) {
            const image = [uri, `http://127.0.0.1:${port}/a.png`];
            const answer = await guarded.call(this.#call({ image }, edit));
            assertFailure(answer, "refused_input");
            assertEquals([answer.param, fake.connections], ["image.1", 0]);
          }
        } finally {
          guarded.close();
        }
      },
    );
    this.#case("a mask, or the reason why not", async ({ fake, upstream }) => {
      fake.answer(json(wire.drawn([OTHER])));
      const answer = await upstream.call(this.#call({ image: uri, mask: uri }, edit));
      if (wire.masks) assertEquals((await wire.read(fake.last)).mask, PICTURE);
      else {
        assertFailure(answer, "refused_input");
        assertEquals([answer.param, fake.requests.length], ["mask", 0]);
      }
    });
    this.#case(
      "an image that is none is refused, and nothing is sent",
      async ({ fake, upstream }) => {
        const image = dataUri("image/png", JPEG);
        const answer = await upstream.call(this.#call({ image: [uri, image] }, edit));
        assertFailure(answer, "refused_input");
        assertEquals([answer.param, fake.requests.length], ["image.1", 0]);
      },
    );
  }

  #declareRefusals(): void {
    const { wire } = this.#subject;
    for (const [at, { body, status }] of wire.blocked.entries()) {
      this.#case(
        `a filter's refusal is the caller's, form ${at + 1}`,
        async ({ fake, upstream }) => {
          fake.answer(json(body, { status }));
          const answer = await upstream.call(this.#call({}));
          assertFailure(answer, "refused_input");
          assert(answer.message.length > 5);
        },
      );
    }
    this.#case("one failure of several requests is the call's", async ({ fake, upstream }) => {
      fake.otherwise([{ stall: true }]);
      fake.answer(json(wire.error("Busy"), { status: 503 }));
      const answer = await upstream.call(this.#call({ n: 2 }));
      assertFailure(answer, "server_error");
      assertEquals(answer.status, 503);
    });
  }

  #declareBreaks(): void {
    const { wire } = this.#subject;
    this.#case("an answer without image is malformed", async ({ fake, upstream }) => {
      fake.answer(json(wire.empty));
      assertFailure(await upstream.call(this.#call({})), "malformed");
    });
    this.#case("a cancelled call leaves all its requests", async ({ fake, upstream }) => {
      fake.otherwise([{ stall: true }]);
      const controller = new AbortController();
      const { signal } = controller;
      const answering = upstream.call(this.#call({ n: 2 }, { signal }));
      const requests = Math.ceil(2 / wire.atOnce);
      await fake.stalling(requests);
      controller.abort();
      assertFailure(await answering, "cancelled");
      await fake.clientLeft(requests);
    });
  }

  async #drawn(
    upstream: Upstream,
    fields: Fields,
    more: Partial<UpstreamCall> = {},
  ): Promise<UpstreamJson> {
    const answer = await upstream.call(this.#call(fields, more));
    assert(answer.kind === "json", JSON.stringify(answer));
    assertEquals(JSON.parse(answer.body.text), answer.body.value);
    return answer;
  }

  #call(fields: Fields, more: Partial<UpstreamCall> = {}): UpstreamCall {
    const { model } = this.#subject;
    return callOf({ prompt: "A fox", ...fields }, {
      endpoint: "images.generations",
      model,
      ...more,
    });
  }
}

function imagesIn({ body }: UpstreamJson): unknown[] {
  const { data } = body.value;
  return Array.isArray(data) ? data.map(({ b64_json }) => b64_json) : [];
}
