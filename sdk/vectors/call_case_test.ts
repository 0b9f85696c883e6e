/** Runs a case of the kind `calls`: one call of a client against a scripted service. */

import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import {
  ConfigurationError,
  MissingAPIKeyError,
  RunError,
  ServiceAPIError,
  ServiceClient,
  ServiceConnectionError,
  ServiceTimeoutError,
} from "../mod.ts";
import { isStreaming, METHODS } from "./client_methods_test.ts";
import { responseTo, type ScriptedAnswer } from "./scripted_answers_test.ts";
import { type Received, ScriptedTools } from "./scripted_tools_test.ts";
import { asJson, type Fields, valueAt, type VectorCase } from "./vector_file_test.ts";

/** A request as it arrived. */
interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: Fields | undefined;
  /** Fields of a form; a file as its name and text. */
  readonly form: Fields | undefined;
}

/** Everything that can be seen of a call. */
interface Outcome {
  readonly sent: readonly Sent[];
  readonly received: readonly Received[];
  readonly events: readonly unknown[];
  readonly text: string;
  readonly result?: Fields;
  readonly error?: unknown;
}

/** Options of a client that a case does not state. */
const CLIENT = {
  ...{ apiKey: "svc_live_key", apiBaseUrl: "http://svc.test", timeoutMs: 0 },
  defaultLocalTools: false,
};

/** A service that gives these answers, one for each request, and what it was sent. */
export function service(answers: readonly ScriptedAnswer[]): {
  readonly sent: Sent[];
  readonly fetch: typeof fetch;
} {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { method, url, headers } = request;
      const isForm = headers.get("content-type")?.startsWith("multipart/form-data") ?? false;
      const form = isForm ? await formOf(request) : undefined;
      const text = isForm ? "" : await request.text();
      const body: Fields | undefined = text === "" ? undefined : JSON.parse(text);
      const one = { method, url, headers, body, form };
      const answer = answers[sent.push(one) - 1];
      assert(answer !== undefined, "The case has no answer to this request");
      const response = await responseTo(body ?? {}, answer);
      const location = response.status < 400 ? response.headers.get("location") : null;
      // As the platform does: a request that follows counts as one more.
      if (request.redirect === "follow" && location !== null) {
        sent.push({ ...one, url: new URL(location, url).href });
      }
      return response;
    },
  };
}

async function formOf(request: Request): Promise<Fields> {
  const fields = [...await request.formData()].map(async ([name, value]) => [
    name,
    typeof value === "string" ? value : { filename: value.name, text: await value.text() },
  ]);
  return Object.fromEntries(await Promise.all(fields));
}

/** Runs a case with one of its methods. */
export async function runCall(one: VectorCase, method: string): Promise<void> {
  const { client: options = {}, request = {}, options: more = {}, answers = [] } = one;
  const tools = new ScriptedTools();
  const { fetch, sent } = service(Object(answers));
  const events: unknown[] = [];
  let text = "";
  let outcome: Outcome;
  const seen = () => ({ sent, received: tools.received, events, text });
  try {
    const client = new ServiceClient({
      ...CLIENT,
      ...given(tools.resolve(Object(options))),
      fetch,
    });
    const isRun = /\.run/.test(method);
    const hooks = isRun ? { onTextDelta: (piece: string) => void (text += piece) } : {};
    const result = await METHODS[method]?.({
      client,
      request: Object(request),
      options: { ...tools.resolve(Object(more)), ...hooks },
      onEvent: (event) => void events.push(asJson(event)),
    });
    assert(result !== undefined, `There is no method ${method}`);
    outcome = { ...seen(), result: Object(result) };
  } catch (error) {
    outcome = { ...seen(), error };
  }
  check(outcome, Object(one["expect"]), method);
}

/** Takes `null` for an option that is not given, in place of the runner's own. */
function given(options: Fields): Fields {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, value ?? undefined]),
  );
}

function check(outcome: Outcome, expect: Fields, method: string): void {
  const { error, result } = outcome;
  if (error !== undefined && expect["error"] === undefined) throw error;
  if (expect["error"] !== undefined) checkError(error, Object(expect["error"]));
  if (expect["requests"] !== undefined) assertEquals(outcome.sent.length, expect["requests"]);
  if (expect["sent"] !== undefined) checkSent(outcome.sent, expect["sent"], method);
  if (expect["calls"] !== undefined) {
    assertEquals(sorted(outcome.received), sorted(Object(expect["calls"])));
  }
  if (expect["events"] !== undefined) assertEquals(outcome.events, expect["events"]);
  if (result === undefined) return;
  const { requestId } = result;
  if (expect["requestId"] !== undefined) assertEquals(requestId ?? "", expect["requestId"]);
  if (expect["outputText"] !== undefined) {
    assertEquals(result["output_text"], expect["outputText"]);
  }
  checkPointers(asJson(answerOf(result)), Object(expect["answer"]));
  if (expect["run"] !== undefined) checkRun(result, Object(expect["run"]));
  if (expect["text"] !== undefined && /\.run/.test(method)) {
    assertEquals(outcome.text, expect["text"]);
  }
}

/** The answer of one request, or the last one of a run. */
function answerOf(result: Fields): unknown {
  return "stoppedBy" in result ? result["response"] : result;
}

/** Compares a value at each pointer; `null` also where there is no value. */
function checkPointers(value: unknown, pointers: Fields): void {
  for (const [pointer, expected] of Object.entries(pointers)) {
    assertEquals(valueAt(value, pointer) ?? null, expected, pointer);
  }
}

/** Handlers of one turn begin in any order. */
function sorted(received: readonly Received[]): string[] {
  return received.map(({ input, tool }) => JSON.stringify({ tool, input })).sort();
}

function checkSent(sent: readonly Sent[], expected: unknown, method: string): void {
  assert(Array.isArray(expected));
  assertEquals(sent.length, expected.length, "number of requests");
  expected.forEach((one: Fields, at) => {
    const request = sent[at];
    assert(request !== undefined);
    if (one["method"] !== undefined) assertEquals(request.method, one["method"]);
    if (one["url"] !== undefined) assertEquals(request.url, one["url"]);
    for (const [name, value] of Object.entries(Object(one["headers"]))) {
      assertEquals(request.headers.get(name), value, name);
    }
    const { stream = false, ...body } = request.body ?? {};
    if (request.body !== undefined) assertEquals(stream, isStreaming(method));
    if (one["body"] !== undefined) assertEquals(body, one["body"]);
    if (one["form"] !== undefined) assertEquals(request.form, one["form"]);
    checkBody(body, one);
  });
}

function checkBody(body: Fields, expected: Fields): void {
  checkPointers(body, Object(expected["at"]));
  if (expected["declares"] !== undefined) {
    const tools: readonly Fields[] = Object(body["tools"]);
    const names = tools.map((tool) =>
      Object(tool["function"]).name ?? tool["name"] ?? tool["type"]
    );
    assertEquals(names, expected["declares"]);
  }
  for (const [pointer, code] of Object.entries(Object(expected["errorsAt"]))) {
    assertEquals(JSON.parse(String(valueAt(body, pointer))).error.code, code, pointer);
  }
  if (expected["answeredCalls"] !== undefined) {
    const items: readonly Fields[] = Object(body["messages"] ?? body["input"]);
    const called = items.flatMap((item) =>
      item["type"] === "function_call" ? [item["call_id"]] : idsOf(item["tool_calls"])
    );
    assertEquals(new Set(called).size, expected["answeredCalls"]);
    assertEquals(
      items.flatMap((item) =>
        item["role"] === "tool" || item["type"] === "function_call_output"
          ? [item["tool_call_id"] ?? item["call_id"]]
          : []
      ),
      called,
    );
  }
}

function idsOf(calls: unknown): unknown[] {
  return Array.isArray(calls) ? calls.map(({ id }) => id) : [];
}

function checkError(error: unknown, expected: Fields): void {
  assert(error !== undefined, "The call did not fail");
  const cause = error instanceof RunError ? error.cause : error;
  if (expected["partial"] !== undefined) {
    assertInstanceOf(error, RunError);
    checkRun(Object(error.result), Object(expected["partial"]));
  }
  const kind = String(expected["kind"]);
  const Class = ERRORS[kind];
  assert(Class !== undefined, `There is no kind of error ${kind}`);
  if (!(cause instanceof Class)) throw error;
  if (!(cause instanceof ServiceAPIError)) return;
  const { body, code, headers, message, requestId, status } = cause;
  const about: Fields = { status, code, message, body: asJson(body), requestId };
  for (const name of ["status", "code", "message", "body", "requestId"]) {
    if (name in expected) assertEquals(about[name] ?? null, expected[name], name);
  }
  checkPointers(asJson(body), Object(expected["bodyAt"]));
  for (const [name, value] of Object.entries(Object(expected["headers"]))) {
    assertEquals(headers.get(name), value, name);
  }
}

const ERRORS: Readonly<Record<string, abstract new (...given: never[]) => Error>> = {
  api: ServiceAPIError,
  configuration: ConfigurationError,
  connection: ServiceConnectionError,
  missing_api_key: MissingAPIKeyError,
  timeout: ServiceTimeoutError,
};

/** The members of a run's result that a case may state. */
function checkRun(result: Fields, expected: Fields): void {
  const steps: readonly Fields[] = Object(result["steps"]);
  const about: Fields = {
    ...result,
    steps: steps.length,
    finishReasons: steps.map(({ finishReason }) => finishReason),
    history: asJson(result["messages"] ?? result["input"]),
    totalTokens: Object(result["usage"]).totalTokens,
    charged: Object(result["billing"]).charged,
    pending: Object(result["pendingCalls"]).map(({ name }: Fields) => name),
    results: steps.map(({ results }) => Object(results).map(resultOf)),
    reasoning: steps.map(({ reasoning }) => reasoning),
  };
  for (const [name, value] of Object.entries(expected)) {
    assert(name in about, `There is no member ${name} of a run`);
    assertEquals(about[name] ?? null, value, name);
  }
}

/** A result as a case states it: the code of an error, else the text. */
function resultOf({ call, isError, text }: Fields): Fields {
  const { name } = Object(call);
  return isError === true
    ? { tool: name, error: JSON.parse(String(text)).error.code }
    : { tool: name, text };
}
