/** A client whose service answers by a script, and the resources and events that it answers with. */

import { ServiceClient, type ServiceClientOptions } from "../mod.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** A request as it was sent. */
export type Sent = Readonly<Record<string, unknown>> & { readonly input?: unknown };

/** Answers a request, the nth from 0; a resource goes as JSON or as events, as it was asked for. */
export type Script = (sent: Sent, at: number) => Fields | Response;

/** A client of such a service, and the requests that it sent. */
export function scripted(
  script: Script | readonly (Fields | Response)[],
  options: ServiceClientOptions = {},
): { readonly client: ServiceClient; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const client = new ServiceClient({
    apiKey: "svc_live_key",
    apiBaseUrl: "http://svc.test",
    timeoutMs: 0,
    defaultLocalTools: false,
    ...options,
    fetch: async (input, init) => {
      const body = await new Request(input, init).json();
      const at = sent.push(body) - 1;
      const answer = typeof script === "function" ? script(body, at) : script[at];
      if (answer === undefined) throw new Error(`Nothing is scripted for request ${at}`);
      if (answer instanceof Response) return answer;
      return body.stream === true ? sse(eventsOf(answer)) : Response.json(answer, { headers });
    },
  });
  return { client, sent };
}

const headers = { "x-request-id": "req-header" };

/** A stream of such events. */
export function sse(events: readonly Fields[], end = ""): Response {
  const text = events.map((event) => `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(text.join("") + end, { headers });
}

/** A response with such output. */
export function resource(output: readonly Fields[], more: Fields = {}): Fields {
  return { id: "resp_1", object: "response", status: "completed", output, usage: null, ...more };
}

/** A message of such texts. */
export function message(...texts: readonly string[]): Fields {
  const content = texts.map((text) => ({ type: "output_text", text, annotations: [] }));
  return { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
}

/** A call of a function. */
export function call(name: string, more: Fields = {}): Fields {
  const ids = { id: `fc_${name}`, call_id: `call_${name}` };
  return { type: "function_call", ...ids, name, arguments: "{}", status: "completed", ...more };
}

/** Usage as the service reports it: 10 tokens of input and 5 of output, times a factor. */
export function usage(times = 1): Fields {
  return {
    input_tokens: 10 * times,
    input_tokens_details: { cached_tokens: 4 * times, cache_write_tokens: times },
    output_tokens: 5 * times,
    output_tokens_details: { reasoning_tokens: 2 * times },
    total_tokens: 15 * times,
  };
}

/** The service's own words about a call. */
export function metadata(requestId = "req-1"): Fields {
  return {
    request_id: requestId,
    billing: {
      ...{ currency: "credits", charged: "0.250000", estimated: false, price_version: 3 },
      ...{ input_tokens: 10, cached_input_tokens: 4, output_tokens: 5, total_tokens: 15 },
    },
  };
}

/** Splits a text into deltas. */
export type Split = (text: string) => readonly string[];

const halves: Split = (text) => [
  text.slice(0, Math.ceil(text.length / 2)),
  text.slice(Math.ceil(text.length / 2)),
];

/** The events that tell a response, one item after the other, numbered. */
export function eventsOf(whole: Fields, split: Split = halves): Fields[] {
  const items = Array.isArray(whole["output"]) ? whole["output"] : [];
  const between = items.flatMap((item, place) => itemEvents(item, place, split));
  return numbered([...opening(whole), ...between, ending(whole)]);
}

/** The events before all others. */
export function opening(whole: Fields): Fields[] {
  const response = { ...whole, status: "in_progress", output: [], usage: null };
  return ["created", "in_progress"].map((type) => ({ type: `response.${type}`, response }));
}

/** The event that ends a stream. */
export function ending(whole: Fields): Fields {
  return { type: `response.${whole["status"]}`, response: whole };
}

/** Events with their numbers. */
export function numbered(events: readonly Fields[]): Fields[] {
  return events.map(({ type, ...event }, sequence_number) => ({ type, sequence_number, ...event }));
}

/** The events of one item. */
export function itemEvents(item: Fields, output_index: number, split: Split = halves): Fields[] {
  const place = { item_id: item["id"], output_index };
  const started = { ...item, status: "in_progress", ...emptied(item) };
  return [
    { type: "response.output_item.added", output_index, item: started },
    ...between(item, split).map((event) => ({ ...event, ...place })),
    { type: "response.output_item.done", output_index, item },
  ];
}

function emptied({ type }: Fields): Fields {
  if (type === "function_call") return { arguments: "" };
  return type === "message" ? { content: [] } : type === "reasoning" ? { summary: [] } : {};
}

function between(item: Fields, split: Split): Fields[] {
  switch (item["type"]) {
    case "function_call": {
      const type = "response.function_call_arguments";
      const deltas = split(String(item["arguments"]));
      return [
        ...deltas.map((delta) => ({ type: `${type}.delta`, delta })),
        { type: `${type}.done`, name: item["name"], arguments: item["arguments"] },
      ];
    }
    case "message":
      return parts(item["content"], split, "output_text");
    case "reasoning":
      return parts(item["summary"], split, "reasoning_summary_text");
    case "web_search_call":
      return ["in_progress", "searching", "completed"].map((phase) => ({
        type: `response.web_search_call.${phase}`,
      }));
    default:
      return [];
  }
}

function parts(list: unknown, split: Split, kind: string): Fields[] {
  const isSummary = kind === "reasoning_summary_text";
  const group = isSummary ? "response.reasoning_summary_part" : "response.content_part";
  return (Array.isArray(list) ? list : []).flatMap((part, at) => {
    const place = { [isSummary ? "summary_index" : "content_index"]: at };
    const isText = isSummary || part.type === "output_text";
    const deltas = isText ? split(part.text) : [];
    return [
      { type: `${group}.added`, ...place, part: isText ? { ...part, text: "" } : part },
      ...deltas.map((delta) => ({ type: `response.${kind}.delta`, ...place, delta })),
      ...(isText ? [{ type: `response.${kind}.done`, ...place, text: part.text }] : []),
      { type: `${group}.done`, ...place, part },
    ];
  });
}
