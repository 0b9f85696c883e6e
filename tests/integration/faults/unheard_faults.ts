/**
 * Faults of the connection, of the status line and of headers.
 *
 * @module
 */

import { json, type Script } from "../../fixtures/fake_upstream.ts";
import { chunkedHead, type Fault, head, lengthHead, type Well } from "./fault.ts";

const FAILED = { json: "failed", stream: "failed" } as const;
const WHOLE = { json: "whole", stream: "whole" } as const;
const SOON = { firstByteMs: 100 };

function only(text: string): () => Script {
  return () => [{ send: text }, { close: true }];
}

function status(code: number, headers: Readonly<Record<string, string>> = {}): () => Script {
  return () => json({ error: { message: "Nothing doing" } }, { status: code, headers });
}

/** A head that is fine but for one more header, before a whole body. */
function withHeader(line: string): (well: Well) => Script {
  return (well) => [
    { send: lengthHead(well, bytesOf(well.body)).replace(/\r\n$/, `${line}\r\n\r\n`) },
    { send: well.body },
    { close: true },
  ];
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Nothing that could be an answer comes. */
export const SILENT: readonly Fault[] = [
  { name: "the connection is reset", script: () => [{ reset: true }], ...FAILED },
  { name: "the connection is closed", script: () => [{ close: true }], ...FAILED },
  {
    name: "no byte is sent",
    script: () => [{ stall: true }],
    json: "late",
    stream: "late",
    limits: SOON,
  },
  {
    name: "a head never ends",
    script: () => [{ send: "HTTP/1.1 200 OK\r\ncontent-type: appl" }, { stall: true }],
    json: "late",
    stream: "late",
    limits: SOON,
  },
  { name: "a head is cut", script: only("HTTP/1.1 200 OK\r\ncontent-ty"), ...FAILED },
  { name: "another protocol", script: only("220 mail ready\r\n"), ...FAILED },
  { name: "HTTP/0.9", script: only('{"choices":[]}'), ...FAILED },
  { name: "a status that is no number", script: only("HTTP/1.1 OK\r\n\r\n"), ...FAILED },
];

/** Answers that say that they are none. */
export const REFUSING: readonly Fault[] = [
  ...[500, 502, 503, 529, 401, 403, 404].map((code): Fault => ({
    name: `status ${code}`,
    script: status(code),
    mayKeep: true,
    ...FAILED,
  })),
  {
    name: "status 429",
    script: status(429, { "retry-after": "7" }),
    json: "limited",
    stream: "limited",
    mayKeep: true,
  },
  ...["204 No Content", "205 Reset Content", "304 Not Modified"].map((line): Fault => ({
    name: `status ${line}`,
    script: only(head(line, {})),
    ...FAILED,
  })),
  { name: "status 206 Partial Content", script: status(206), mayKeep: true, ...FAILED },
  {
    name: "status 101 Switching Protocols",
    script: only(head("101 Switching Protocols", { upgrade: "websocket", connection: "upgrade" })),
    ...FAILED,
  },
  {
    name: "an error answer without an end",
    script: () => [
      { send: head("500 No", { "content-type": "text/plain", "content-length": "900" }) },
      { stall: true },
    ],
    limits: { firstByteMs: 800, idleMs: 150 },
    ...FAILED,
  },
  {
    name: "an error answer of a megabyte",
    script: () => json({ error: { message: "No! ".repeat(250_000) } }, { status: 500 }),
    ...FAILED,
  },
];

/** Heads that are wrong. */
export const HEADS: readonly Fault[] = [
  {
    name: "a flood of headers",
    script: withHeader(Array.from({ length: 5_000 }, (_, at) => `x-${at}: flood`).join("\r\n")),
    ...FAILED,
  },
  {
    name: "a header of a megabyte",
    script: withHeader(`x-huge: ${"h".repeat(1024 * 1024)}`),
    ...FAILED,
  },
  { name: "a header without a colon", script: withHeader("this is no header"), ...FAILED },
  { name: "two lengths that differ", script: withHeader("content-length: 3"), ...FAILED },
  ...["-1", "many", "1e9", "99999999999999999999999"].map((length): Fault => ({
    name: `a length of "${length}"`,
    script: (well) => [{ send: lengthHead(well, length) }, { send: well.body }, { close: true }],
    ...FAILED,
  })),
  {
    name: "a length of a terabyte, which never comes",
    script: (well) => [{ send: lengthHead(well, 1e12) }, { stall: true }],
    json: "failed",
    stream: "late",
    limits: { firstByteMs: 800 },
  },
  ...["text/html", "", "application/octet-stream", "multipart/mixed"].map((type): Fault => ({
    name: `a content type of "${type}"`,
    script: (well) => [
      { send: lengthHead({ ...well, type }, bytesOf(well.body)) },
      { send: well.body },
    ],
    mayKeep: true,
    ...FAILED,
  })),
  {
    name: "one body where a stream was asked for, a stream where one body was",
    script: (well) => {
      const type = well.stream ? "application/json" : "text/event-stream";
      const body = well.stream ? '{"choices":[],"output":[]}' : `data: ${well.body}\n\n`;
      return [{ send: lengthHead({ ...well, type }, bytesOf(body)) }, { send: body }];
    },
    mayKeep: true,
    ...FAILED,
  },
];

/** Oddities that HTTP allows, or that do no harm. */
export const ODDITIES: readonly Fault[] = [
  {
    name: "100 Continue and 103 Early Hints before the answer",
    script: (well) => [
      { send: head("100 Continue", {}) },
      { send: head("103 Early Hints", { link: "</a>; rel=preload" }) },
      { send: head("103 Early Hints", {}) },
      { send: lengthHead(well, bytesOf(well.body)) },
      { send: well.body },
    ],
    mayKeep: true,
    ...WHOLE,
  },
  {
    name: "HTTP/1.0, which ends with the connection",
    script: (well) => [
      { send: head("200 OK", { "content-type": well.type }, "HTTP/1.0") },
      { send: well.body },
      { close: true },
    ],
    ...WHOLE,
  },
  {
    name: "an unknown coding, so that the connection is the end",
    script: (well) => [
      { send: chunkedHead(well, { "transfer-encoding": "mystery" }) },
      { send: well.body },
      { close: true },
    ],
    ...WHOLE,
  },
  {
    name: "an answer before the request was read",
    script: (well) => [
      { unread: true },
      { send: lengthHead(well, bytesOf(well.body)) },
      { send: well.body },
    ],
    mayKeep: true,
    ...WHOLE,
  },
  {
    name: "every byte in a piece of its own",
    script: (well) => [
      { send: chunkedHead(well) },
      ...[...new TextEncoder().encode(well.body)].map((byte) => ({
        send: new Uint8Array([0x31, 0x0d, 0x0a, byte, 0x0d, 0x0a]),
      })),
      { send: "0\r\n\r\n" },
    ],
    mayKeep: true,
    ...WHOLE,
  },
  {
    name: "chunks with extensions, and trailers",
    script: (well) => [
      { send: chunkedHead(well) },
      { send: `${bytesOf(well.body).toString(16)};a=b;c="d"\r\n${well.body}\r\n` },
      { send: "0\r\nx-trailer: yes\r\n\r\n" },
    ],
    mayKeep: true,
    ...WHOLE,
  },
  {
    name: "a second response that was not requested",
    script: (well) => [
      { send: lengthHead(well, bytesOf(well.body)) + well.body },
      { send: lengthHead(well, 2) + "{}" },
    ],
    mayKeep: true,
    ...WHOLE,
  },
];
