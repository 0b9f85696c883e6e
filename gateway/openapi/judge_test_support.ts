/**
 * Checks every answer of a test against the description of its listener: status, code, media type,
 * headers, body. So the whole suite shows that the description is true.
 *
 * @module
 */

import { TextLineStream } from "@std/streams";
import { ERROR_TABLE, type ErrorCode } from "@svc/sdk/protocol";
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Listener, OpenApiDocument } from "./document.ts";
import { documentOf } from "./document.ts";
import { Schemas, segmentOf } from "./schemas_test_support.ts";

/** Headers that need no description: those of HTTP, and those for browsers. */
const COMMON_HEADERS = new Set([
  ...["content-type", "content-length", "cache-control", "connection", "allow", "vary"],
  ...["x-content-type-options", "content-security-policy", "referrer-policy"],
  ...["x-accel-buffering", "www-authenticate"],
]);

/** Addresses of pages for people, which are no part of the interface. */
const PAGES = /^\/(?:$|(?:console|me)(?:\/|$)|metrics$)/;

/** Status in the log of a request whose caller disconnected; no client receives it. */
const CALLER_DISCONNECTED_STATUS = 499;

type Complain = (what: string) => void;

interface OperationObject {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Reply>>;
}

interface Reply {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { $ref: string }>>;
  readonly content?: Readonly<Record<string, { schema?: unknown }>>;
}

interface Place {
  readonly template: string;
  readonly pattern: RegExp;
  readonly methods: Readonly<Record<string, OperationObject>>;
}

/** Checks the answers of one listener. */
export class Judge {
  readonly #document: OpenApiDocument;
  readonly #places: readonly Place[];
  readonly #schemas: Schemas;

  /** Answers of the operator's API may have no field that is not described. */
  constructor(listener: Listener) {
    this.#document = documentOf(listener, { answers: listener === "admin" ? "closed" : "open" });
    this.#places = Object.entries(this.#document.paths ?? {}).map(([template, methods]) => ({
      template,
      pattern: new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
      methods: methods as Record<string, OperationObject>,
    }));
    this.#schemas = new Schemas(this.#document);
  }

  /**
   * Returns the same answer, checked before it is read, or while it is read for a stream. Every
   * difference from the description is added to `violations`, a sentence each.
   */
  async judged(
    request: { method: string; url: string },
    response: Response,
    violations: string[],
  ): Promise<Response> {
    const path = new URL(request.url).pathname;
    if (response.status === CALLER_DISCONNECTED_STATUS) return response;
    const method = request.method === "HEAD" ? "GET" : request.method;
    const place = this.#places.find(({ pattern }) => pattern.test(path));
    const operation = place?.methods[method.toLowerCase()];
    const complain = (what: string) =>
      void violations.push(`${request.method} ${path}: ${response.status}: ${what}`);
    if (operation === undefined || place === undefined) {
      return await this.#judgeStray(response, { complain, path, isKnown: place !== undefined });
    }
    const reply = this.#resolved(operation.responses[response.status]);
    if (reply === undefined) {
      complain(`The status is not described: ${await response.clone().text()}`);
      return response;
    }
    this.#judgeHeaders(response, { complain, reply });
    const type = mediaTypeOf(response);
    if (request.method === "HEAD" || response.body === null) return response;
    const described = Object.keys(reply.content ?? {}).find((known) => {
      return known === type || known === "image/*" && type.startsWith("image/");
    });
    if (described === undefined) {
      complain(`The media type "${type}" is not described`);
      return response;
    }
    if (reply.content?.[described]?.schema === undefined) return response;
    const pointer = this.#pointerOf({ place, method, status: response.status, type: described });
    const check = (value: unknown) => this.#check(value, { complain, pointer });
    if (type === "text/event-stream") return observed(response, eventValues, check);
    if (type === "application/x-ndjson") return observed(response, lineValues, check);
    const text = await response.text();
    if (type === "application/json") check(JSON.parse(text));
    return again(response, text);
  }

  /** Checks an answer of no operation: a refusal of the table, or a page for people. */
  async #judgeStray(
    response: Response,
    { complain, path, isKnown }: { complain: Complain; path: string; isKnown: boolean },
  ): Promise<Response> {
    if (!isKnown && PAGES.test(path)) return response;
    if (response.status < 400) {
      complain("The operation is not described: add it to gateway/openapi/");
      return response;
    }
    if (isKnown && response.status === 405 && !response.headers.has("allow")) {
      complain("The header Allow is missing");
    }
    if (response.body === null) return response;
    const text = await response.text();
    const pointer = "/components/schemas/ErrorEnvelope";
    if (text !== "") {
      this.#check(JSON.parse(text), { complain, pointer });
      const { code } = JSON.parse(text).error;
      const row = ERROR_TABLE[code as ErrorCode];
      if (row?.status !== response.status) complain(`"${code}" is no code of it`);
    }
    return again(response, text);
  }

  #judgeHeaders(
    { headers, status }: Response,
    { complain, reply }: { complain: Complain; reply: Reply },
  ): void {
    const described = new Set(Object.keys(reply.headers ?? {}).map((name) => name.toLowerCase()));
    for (const name of headers.keys()) {
      if (described.has(name) || COMMON_HEADERS.has(name)) continue;
      complain(`The header ${name} is not described`);
    }
    for (const [name, { $ref }] of Object.entries(reply.headers ?? {})) {
      const header = this.#document.components?.headers?.[$ref.split("/").at(-1) ?? ""];
      if (header !== undefined && "required" in header && header.required && !headers.has(name)) {
        complain(`The header ${name} is missing`);
      }
    }
    const waits = headers.has("retry-after") || headers.has("x-should-retry");
    if ((status === 429 || status === 503) && !waits) {
      complain("Neither Retry-After nor X-Should-Retry is there");
    }
  }

  #check(value: unknown, { complain, pointer }: { complain: Complain; pointer: string }): void {
    const problems = this.#schemas.problems(pointer, value);
    if (problems !== undefined) complain(problems);
  }

  #resolved(reply: Reply | undefined): Reply | undefined {
    if (reply?.$ref === undefined) return reply;
    const name = reply.$ref.replace("#/components/responses/", "");
    return this.#document.components?.responses?.[name] as Reply | undefined;
  }

  #pointerOf(
    at: { place: Place; method: string; status: number; type: string },
  ): string {
    const method = at.method.toLowerCase();
    const ref = at.place.methods[method]?.responses[at.status]?.$ref;
    const base = ref?.slice(1) ??
      `/paths/${segmentOf(at.place.template)}/${method}/responses/${at.status}`;
    return `${base}/content/${segmentOf(at.type)}/schema`;
  }
}

function mediaTypeOf({ headers }: Response): string {
  return (headers.get("content-type") ?? "").split(";")[0]?.trim() ?? "";
}

function again({ status, headers }: Response, text: string): Response {
  return new Response(text, { status, headers });
}

type Reader = (bytes: ReadableStream<Uint8Array<ArrayBuffer>>) => AsyncIterable<unknown>;

/** Returns the same stream, read at the pace of its reader; each value in it is checked. */
function observed(response: Response, read: Reader, check: (value: unknown) => void): Response {
  const { body, status, headers } = response;
  if (body === null) return response;
  const reader = body.getReader();
  const copy = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const writer = copy.writable.getWriter();
  const reading = (async () => {
    for await (const value of read(copy.readable)) check(value);
  })().catch(() => {});
  const passed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await reader.read().catch((error) => {
        writer.abort(error).catch(() => {});
        throw error;
      });
      if (done) {
        await writer.close();
        await reading;
        return controller.close();
      }
      await writer.write(value.slice());
      controller.enqueue(value);
    },
    async cancel(reason) {
      writer.abort(reason).catch(() => {});
      await reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
  return new Response(passed, { status, headers });
}

async function* eventValues(bytes: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const events = bytes.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const { data } of events) if (data !== "[DONE]") yield JSON.parse(data);
}

async function* lineValues(bytes: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const lines = bytes.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
  for await (const line of lines) yield JSON.parse(line);
}
