/**
 * The table of endings for images, which never stream: an image costs 40 000 000 micros, or its
 * tokens, 1 000 micros per input token, 5 000 per image input token, and 2 000 per output token.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { PNG } from "../../../gateway/images/image_fixture.ts";
import { FakeUpstream, json, type Script } from "../../fixtures/fake_upstream.ts";
import { labConfig } from "../../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService, until } from "../../fixtures/service.ts";
import { journalOf } from "./case.ts";

const A_PICTURE = { inputPerMTok: "0", outputPerMTok: "0", perImage: "0.04", currency: "USD" };
const TOKENS = {
  inputPerMTok: "1.00",
  imageInputPerMTok: "5.00",
  outputPerMTok: "2.00",
  currency: "USD",
};

/** One kind of ending. */
interface Row {
  readonly row: string;
  readonly how: string;
  readonly price: Readonly<Record<string, string>>;
  readonly script: Script;
  /** @default {1} */
  readonly imageCount?: number;
  /** @default {the caller stays} */
  readonly leaves?: "cancel" | "drain";
  /** True when another model could draw one image. @default {false} */
  readonly spare?: boolean;
  /** @default {200} */
  readonly status?: number;
  readonly charge: bigint;
  /** @default {false} */
  readonly estimated?: boolean;
  readonly journal: readonly string[];
}

function drawn(pictures: number, usage?: unknown): Script {
  const data = Array.from({ length: pictures }, () => ({ b64_json: PNG.toBase64() }));
  return json({ created: 1, data, ...usage === undefined ? {} : { usage } });
}

function used(output_tokens: number): unknown {
  return {
    input_tokens: 10,
    input_tokens_details: { image_tokens: 4, text_tokens: 6 },
    output_tokens,
    total_tokens: 10 + output_tokens,
  };
}

const [REFUSED, EMPTY] = [json({ error: { message: "No" } }, { status: 500 }), drawn(0)];
const HELD_A_PICTURE = "hold 40000000";
/** 31 tokens of input by bytes, and 1 000 of output. */
const HELD_TOKENS = "hold 2031000";

const ROWS: readonly Row[] = [
  {
    row: "finished: pictures times price",
    how: "two",
    price: A_PICTURE,
    script: drawn(2),
    imageCount: 2,
    charge: 80_000_000n,
    journal: ["hold 80000000", "settle 80000000"],
  },
  {
    row: "finished: pictures times price",
    how: "fewer than were asked for",
    price: A_PICTURE,
    script: drawn(1),
    imageCount: 2,
    charge: 40_000_000n,
    journal: ["hold 80000000", "settle 40000000"],
  },
  {
    row: "finished, usage reported: usage times price",
    how: "tokens of text and of images",
    price: TOKENS,
    script: drawn(1, used(100)),
    charge: 226_000n,
    journal: [HELD_TOKENS, "settle 226000"],
  },
  {
    row: "finished, no usage: the input held for, and what a picture usually takes",
    how: "here the model's most",
    price: TOKENS,
    script: drawn(1),
    charge: 2_031_000n,
    estimated: true,
    journal: [HELD_TOKENS, "settle 2031000"],
  },
  {
    row: "provider reports more than the hold: the hold, and the excess is written off",
    how: "four times the output that is held, which is still possible",
    price: TOKENS,
    script: drawn(1, used(4_000)),
    charge: 2_031_000n,
    journal: [HELD_TOKENS, "settle 2031000, written off 5995000"],
  },
  {
    row: "finished, impossible usage: as without usage",
    how: "a million tokens",
    price: TOKENS,
    script: drawn(1, used(1_000_000)),
    charge: 2_031_000n,
    estimated: true,
    journal: [HELD_TOKENS, "settle 2031000"],
  },
  {
    row: "provider reports more than the hold: the hold, and the excess is written off",
    how: "a picture more than was asked for",
    price: A_PICTURE,
    script: drawn(2),
    charge: 40_000_000n,
    journal: [HELD_A_PICTURE, "settle 40000000, written off 40000000"],
  },
  ...[["refused", REFUSED], ["no picture", EMPTY]].flatMap(([how, script]): readonly Row[] => {
    const failed = {
      how: String(how),
      price: A_PICTURE,
      script: Array.isArray(script) ? script : [],
    };
    const voided = [HELD_A_PICTURE, "void 40000000"];
    return [
      {
        row: "failed before the first byte: nothing",
        ...failed,
        status: 502,
        charge: 0n,
        journal: voided,
      },
      {
        row: "failed before the first byte: nothing, and the next candidate is paid",
        ...failed,
        spare: true,
        charge: 40_000_000n,
        journal: [...voided, HELD_A_PICTURE, "settle 40000000"],
      },
    ];
  }),
  {
    row: "client left: upstream cancelled",
    how: "nothing was delivered",
    price: A_PICTURE,
    script: drawn(1),
    leaves: "cancel",
    charge: 0n,
    journal: [HELD_A_PICTURE, "void 40000000"],
  },
  {
    row: "client left, drained",
    how: "it was drawn",
    price: A_PICTURE,
    script: drawn(1),
    leaves: "drain",
    charge: 40_000_000n,
    journal: [HELD_A_PICTURE, "settle 40000000"],
  },
];

for (const row of ROWS) Deno.test(`images: ${row.row} (${row.how})`, () => settle(row));

async function settle(row: Row): Promise<void> {
  await using upstream = new FakeUpstream();
  await using spare = new FakeUpstream();
  const gate = Promise.withResolvers<void>();
  const settings = { onDisconnect: row.leaves ?? "cancel" };
  const more = { endpoints: ["images.generations"], price: row.price };
  const model = { upstream: settings, more };
  const first = { id: "first", baseUrl: upstream.baseUrl, quality: 0.9, ...model };
  const second = { id: "second", baseUrl: spare.baseUrl, quality: 0.1, ...model };
  const config = labConfig(first, ...row.spare ? [second] : []);
  await using service = await TestService.start({ config });
  spare.answer(drawn(1));
  if (row.leaves === undefined) {
    upstream.answer(row.script);
    const response = await draw(service, row);
    const text = await response.text();
    assertEquals(response.status, row.status ?? 200, text);
  } else {
    const script = row.leaves === "drain" ? [{ until: gate.promise }, ...row.script] : undefined;
    upstream.answer(script ?? [{ stall: true }]);
    await leave(service, row, upstream).finally(gate.resolve);
    if (row.leaves === "cancel") await upstream.clientLeft();
  }
  const record = await service.lastRequest();
  assertEquals((await service.wallet()).spent, row.charge);
  assertEquals(await journalOf(service), row.journal);
  assertEquals(BigInt(record.charged.replace(".", "")), row.charge);
  assertEquals(record.estimated, row.estimated ?? false);
  await service.assertBooks();
}

function draw(service: TestService, { imageCount }: Row, signal?: AbortSignal): Promise<Response> {
  return fetch(`${service.openaiUrl}/images/generations`, {
    method: "POST",
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", prompt: "A fox", n: imageCount }),
    signal: signal ?? null,
  });
}

async function leave(service: TestService, row: Row, upstream: FakeUpstream): Promise<void> {
  const leaving = new AbortController();
  const call = draw(service, row, leaving.signal);
  await until(() => upstream.requests.length === 1, "the call to reach the upstream");
  leaving.abort();
  await call.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 200));
}
