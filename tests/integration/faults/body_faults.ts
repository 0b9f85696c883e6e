/**
 * Faults of an answer's body: before anything of it can be passed on, and in the middle.
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import { chunk, LAST_CHUNK, type Script, type Step } from "../../fixtures/fake_upstream.ts";
import { chunkedHead, type Fault, head, lengthHead, openHead, type Well } from "./fault.ts";

const FAILED = { json: "failed", stream: "failed" } as const;
const HALFWAY = { json: "failed", stream: "broken" } as const;
const WHOLE = { json: "whole", stream: "whole" } as const;

/** More than the longest event, and than the longest body. */
const GIGANTIC_EVENT = 17 * 1024 * 1024;
const GIGANTIC_BODY = 65 * 1024 * 1024;
const PIECE = 1024 * 1024;

/** A body in place of the whole one. */
function instead(bodyOf: (well: Well) => string | Uint8Array): (well: Well) => Script {
  return (well) => [{ send: chunkedHead(well) }, chunk(bodyOf(well)), LAST_CHUNK];
}

/** Something after the first half. */
function halfway(...steps: readonly Step[]): (well: Well) => Script {
  return (well) => [{ send: chunkedHead(well) }, chunk(well.half), ...steps];
}

/** A frame after the first half, by which alone a stream is to break: nothing follows it. */
function brokenBy(frame: string): (well: Well) => Script {
  return (well) => halfway(chunk(frame), well.stream ? { stall: true } : { close: true })(well);
}

function event(text: string): string {
  return `data: ${text}\n\n`;
}

/** One event, or one body, that does not end within any limit. */
function gigantic(stream: boolean): Step[] {
  const pieces = (stream ? GIGANTIC_EVENT : GIGANTIC_BODY) / PIECE;
  const piece = chunk("g".repeat(PIECE));
  return [chunk(stream ? "data: " : '{"a":"'), ...Array<Step>(pieces).fill(piece), { stall: true }];
}

function nested(depth: number): string {
  return `{"choices":${"[".repeat(depth)}${"]".repeat(depth)}}`;
}

const CODED = { "content-encoding": "gzip" };
/** A hundred kilobytes that come to a hundred megabytes. */
const BOMB = (() => {
  let bytes: Uint8Array | undefined;
  return () => bytes ??= gzipSync(new Uint8Array(100 * PIECE));
})();

/** Nothing of the body can be passed on. */
export const BODIES: readonly Fault[] = [
  {
    name: "closed after the head",
    script: (well) => [{ send: chunkedHead(well) }, { close: true }],
    ...FAILED,
  },
  {
    name: "silent after the head",
    script: (well) => [{ send: chunkedHead(well) }, { stall: true }],
    json: "late",
    stream: "late",
    limits: { firstByteMs: 100, idleMs: 100 },
  },
  {
    name: "an empty body",
    script: (well) => [{ send: lengthHead(well, 0) }],
    mayKeep: true,
    ...FAILED,
  },
  {
    name: "no JSON",
    script: instead(({ stream }) => stream ? event("{no") : "{no"),
    mayKeep: true,
    ...FAILED,
  },
  {
    name: "JSON of another shape",
    script: instead(({ stream }) => stream ? event('{"weather":1,"choices":7}') : "[1]"),
    mayKeep: true,
    ...FAILED,
  },
  {
    name: "JSON in a million levels",
    script: instead(({ stream }) => stream ? event(nested(1_000_000)) : nested(1_000_000)),
    mayKeep: true,
    ...FAILED,
  },
  {
    name: "bytes that are no UTF-8",
    script: instead(() => new Uint8Array([0x64, 0x61, 0x74, 0x61, 0x3a, 0x20, 0xff, 0xfe, 0x0a])),
    mayKeep: true,
    ...FAILED,
  },
  {
    name: "a gigantic body",
    script: (well) => [{ send: chunkedHead(well) }, ...gigantic(well.stream)],
    ...FAILED,
  },
  {
    name: "a gzip bomb",
    script: (well) => [{ send: chunkedHead(well, CODED) }, chunk(BOMB()), LAST_CHUNK],
    mayKeep: true,
    ...FAILED,
  },
  {
    name: "a gzip bomb in an error answer",
    script: () => [
      { send: head("500 No", { ...CODED, "content-length": `${BOMB().length}` }) },
      { send: BOMB() },
    ],
    mayKeep: true,
    ...FAILED,
  },
  {
    name: "gzip that is none",
    script: (well) => [{ send: chunkedHead(well, CODED) }, chunk(well.body), LAST_CHUNK],
    mayKeep: true,
    ...FAILED,
  },
  {
    name: "chunks that are none",
    script: (
      well,
    ) => [{ send: chunkedHead(well) }, { send: `ZZ\r\n${well.body}` }, { close: true }],
    ...FAILED,
  },
  {
    name: "a chunk of more bytes than there are numbers",
    script: (well) => [{ send: `${chunkedHead(well)}fffffffffffffffff\r\n` }, { send: well.body }, {
      close: true,
    }],
    ...FAILED,
  },
];

/** The answer has begun. */
export const HALVES: readonly Fault[] = [
  { name: "closed halfway", script: halfway({ close: true }), ...HALFWAY },
  {
    name: "reset halfway",
    script: (well) => [
      { unread: true },
      { send: chunkedHead(well) },
      chunk(well.half),
      // Time for the half to be read: a reset takes with it what was not.
      { waitMs: 300 },
      { close: true },
    ],
    ...HALFWAY,
  },
  {
    name: "shorter than its length",
    script: (well) => [{ send: lengthHead(well, 100_000) }, { send: well.half }, { close: true }],
    ...HALFWAY,
  },
  {
    name: "longer than its length",
    script: (well) => {
      const length = new TextEncoder().encode(well.half).length;
      return [{ send: lengthHead(well, length) }, { send: well.body }, { close: true }];
    },
    ...HALFWAY,
  },
  {
    name: "ended in good order halfway",
    script: halfway(LAST_CHUNK),
    mayKeep: true,
    ...HALFWAY,
  },
  {
    name: "ended with the connection halfway, which might be the end",
    script: (well) => [{ send: openHead(well) }, { send: well.half }, { close: true }],
    ...HALFWAY,
  },
  {
    name: "cut in mid-frame",
    script: halfway(chunk('data: {"choices":[{"index":0,"del'), { close: true }),
    ...HALFWAY,
  },
  {
    name: "cut in mid-character",
    script: halfway(chunk(new TextEncoder().encode("data: é").slice(0, -1)), { close: true }),
    ...HALFWAY,
  },
  {
    name: "silent halfway",
    script: halfway({ stall: true }),
    json: "late",
    stream: "stalled",
    limits: { idleMs: 100 },
  },
  {
    name: "slower than the limit between two bytes",
    script: halfway(chunk("d"), { passMs: 30 }, chunk("a"), { passMs: 30 }, { stall: true }),
    json: "late",
    stream: "stalled",
    limits: { idleMs: 20 },
  },
  {
    name: "slow, but within the limit between two bytes",
    script: (well) => [
      { send: chunkedHead(well) },
      ...[...pieces(well.body, 10)].flatMap((piece): Step[] => [chunk(piece), { passMs: 15 }]),
      LAST_CHUNK,
    ],
    limits: { idleMs: 20 },
    mayKeep: true,
    ...WHOLE,
  },
  {
    name: "chunks that are none, halfway",
    script: halfway({ send: "-5\r\n" }, { close: true }),
    ...HALFWAY,
  },
  {
    name: "a frame that is no JSON",
    script: brokenBy(event('{"half":')),
    ...HALFWAY,
  },
  {
    name: "a frame that is no event of this wire",
    script: brokenBy(event("[7]")),
    ...HALFWAY,
  },
  {
    name: "a frame of a million levels",
    script: brokenBy(event(nested(1_000_000))),
    ...HALFWAY,
  },
  {
    name: "a gigantic frame",
    script: (well) => [{ send: chunkedHead(well) }, chunk(well.half), ...gigantic(well.stream)],
    ...HALFWAY,
  },
  {
    name: "bytes that are no UTF-8, halfway",
    script: halfway(chunk(new Uint8Array([0xff, 0xfe, 0x0a, 0x0a])), { close: true }),
    ...HALFWAY,
  },
];

function* pieces(text: string, count: number): Generator<string> {
  const size = Math.ceil(text.length / count);
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}
