/**
 * The rows of the table in section 4.1, in words that all of them share: so each statement about the
 * client is tested once, on every surface.
 *
 * @module
 */

import type {
  CallOptions,
  ChatHistory,
  ChatShapes,
  LoopEvent,
  LoopShapes,
  MessagesHistory,
  MessagesShapes,
  ResponseHistory,
  ResponseShapes,
  RunOptions,
  RunResult,
  ServiceClient,
  ServiceStream,
} from "@svc/sdk";

/** A function that a request declares. */
export interface Declared {
  readonly name: string;
  readonly parameters: Record<string, unknown>;
}

/** A question. */
export interface Asked {
  readonly text: string;
  /** The request's own tools. */
  readonly tools?: readonly Declared[];
  /** The one of them that has to be called. */
  readonly force?: string;
  /** Other fields of the request, also what types forbid. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A call that the model made. */
export interface Called {
  readonly id: string;
  readonly name: string;
}

/** One answer. */
export interface Answered {
  readonly text: string;
  readonly calls: readonly Called[];
  readonly totalTokens: number | undefined;
  readonly charged: string | undefined;
  readonly requestId: string | undefined;
  /** The request that goes on from here, as an application writes it: with the calls as they came. */
  goOn(results: Readonly<Record<string, string>>): Continuation;
}

/** A request of a manual loop. */
export interface Continuation {
  create(client: ServiceClient): Promise<Answered>;
}

/** Result of a run. */
export type Outcome = RunResult<LoopShapes> & { readonly history: readonly unknown[] };

/** A stream: the text of each of its events, empty where it has none, then the final value. */
export interface Streamed<Final> extends AsyncIterable<string> {
  final(): Promise<Final>;
}

/** Options of a run that mean the same on every surface. */
export type Options = Omit<RunOptions<LoopShapes>, "prepareStep" | "budget" | "stopWhen">;

/** One row of the table. */
export interface Row {
  readonly name: string;
  /** The called methods, as an application writes them. */
  readonly methods: string;
  /** Path of the requests. */
  readonly path: string;
  create(client: ServiceClient, question: Asked, options?: CallOptions): Promise<Answered>;
  stream(client: ServiceClient, question: Asked, options?: CallOptions): Streamed<Answered>;
  run(client: ServiceClient, question: Asked, options?: Options): Promise<Outcome>;
  runStream(client: ServiceClient, question: Asked, options?: Options): Streamed<Outcome>;
}

interface Methods<S extends LoopShapes, History> {
  create(request: S["conversation"], options?: CallOptions): Promise<S["turn"]>;
  stream(
    request: S["conversation"],
    options?: CallOptions,
  ): ServiceStream<S["chunk"], S["turn"]>;
  run(request: S["conversation"], options?: RunOptions<S>): Promise<RunResult<S> & History>;
  runStream(
    request: S["conversation"],
    options?: RunOptions<S>,
  ): ServiceStream<LoopEvent<S>, RunResult<S> & History>;
}

interface Spec<S extends LoopShapes, History> extends Pick<Row, "name" | "methods" | "path"> {
  of(client: ServiceClient): Methods<S, History>;
  request(question: Asked): S["conversation"];
  read(turn: S["turn"]): Omit<Answered, "goOn">;
  deltaIn(event: S["chunk"]): string;
  history(result: History): readonly unknown[];
  goOn(
    request: S["conversation"],
    turn: S["turn"],
    results: readonly (readonly [id: string, text: string])[],
  ): S["conversation"];
}

function row<S extends LoopShapes, History extends object>(spec: Spec<S, History>): Row {
  const answered = (request: S["conversation"], turn: S["turn"]): Answered => ({
    ...spec.read(turn),
    goOn: (results) => {
      const next = spec.goOn(request, turn, Object.entries(results));
      return { create: async (client) => answered(next, await spec.of(client).create(next)) };
    },
  });
  const outcome = (result: RunResult<S> & History): Outcome => ({
    ...result,
    history: spec.history(result),
  });
  return {
    ...{ name: spec.name, methods: spec.methods, path: spec.path },
    async create(client, question, options) {
      const request = spec.request(question);
      return answered(request, await spec.of(client).create(request, options));
    },
    stream(client, question, options) {
      const request = spec.request(question);
      const stream = spec.of(client).stream(request, options);
      return streamed(stream, {
        deltaIn: (event) => spec.deltaIn(event),
        final: (turn) => answered(request, turn),
      });
    },
    run: async (client, question, options) =>
      outcome(await spec.of(client).run(spec.request(question), options)),
    runStream: (client, question, options) =>
      streamed(spec.of(client).runStream(spec.request(question), options), {
        deltaIn: (event) => event.type === "text_delta" ? event.text : "",
        final: outcome,
      }),
  };
}

function streamed<Event, Value, Final>(
  stream: ServiceStream<Event, Value>,
  read: { deltaIn(event: Event): string; final(value: Value): Final },
): Streamed<Final> {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const event of stream) yield read.deltaIn(event);
    },
    final: async () => read.final(await stream),
  };
}

const chat: Row = row<ChatShapes, ChatHistory>({
  name: "Chat",
  methods: "chat.completions",
  path: "/openai/v1/chat/completions",
  of: (client) => client.chat.completions,
  request: ({ text, tools, force, more }) => ({
    ...more,
    messages: [{ role: "user", content: text }],
    ...(tools && { tools: tools.map((declared) => ({ type: "function", function: declared })) }),
    ...(force && { tool_choice: { type: "function", function: { name: force } } }),
  }),
  read: ({ choices, metadata, requestId, usage }) => ({
    text: String(choices[0]?.message.content ?? ""),
    calls: (choices[0]?.message.tool_calls ?? []).map((call) => ({
      id: call.id,
      name: call.function.name,
    })),
    totalTokens: usage?.total_tokens,
    charged: metadata?.billing?.charged,
    requestId,
  }),
  deltaIn: ({ choices }) => choices[0]?.delta.content ?? "",
  history: ({ messages }) => messages,
  goOn(request, { choices }, results) {
    const message = choices[0]?.message;
    const outputs = results.map(([id, content]) => ({ role: "tool", tool_call_id: id, content }));
    return {
      ...request,
      messages: [...request.messages, ...(message ? [message] : []), ...outputs],
    };
  },
});

const responses: Row = row<ResponseShapes, ResponseHistory>({
  name: "Responses",
  methods: "responses",
  path: "/openai/v1/responses",
  of: (client) => client.responses,
  request: ({ text, tools, force, more }) => ({
    ...more,
    input: text,
    ...(tools && { tools: tools.map((declared) => ({ type: "function", ...declared })) }),
    ...(force && { tool_choice: { type: "function", name: force } }),
  }),
  read: ({ metadata, output, outputText, requestId, usage }) => ({
    text: outputText,
    calls: output.flatMap((item) =>
      item.type === "function_call" ? [{ id: item.call_id, name: item.name }] : []
    ),
    totalTokens: usage?.total_tokens,
    charged: metadata?.billing?.charged,
    requestId,
  }),
  deltaIn: (event) => event.type === "response.output_text.delta" ? String(event.delta) : "",
  history: ({ input }) => input,
  goOn(request, { output }, results) {
    const question = typeof request.input === "string"
      ? [{ type: "message", role: "user", content: request.input }]
      : request.input ?? [];
    const outputs = results.map(([id, text]) => ({
      ...{ type: "function_call_output", call_id: id, output: text },
    }));
    return { ...request, input: [...question, ...output, ...outputs] };
  },
});

const messages: Row = row<MessagesShapes, MessagesHistory>({
  name: "Messages",
  methods: "messages",
  path: "/openai/v1/chat/completions",
  of: (client) => client.messages,
  request: ({ text, tools, force, more }) => ({
    ...more,
    messages: [{ role: "user", content: text }],
    ...(tools && {
      tools: tools.map(({ name, parameters }) => ({ name, input_schema: parameters })),
    }),
    ...(force && { tool_choice: { type: "tool", name: force } }),
  }),
  read: ({ content, metadata, requestId, usage }) => ({
    text: content.map((block) => block.type === "text" ? block.text : "").join(""),
    calls: content.flatMap((block) =>
      block.type === "tool_use" ? [{ id: block.id, name: block.name }] : []
    ),
    totalTokens: usage.input_tokens + usage.output_tokens,
    charged: metadata?.billing?.charged,
    requestId,
  }),
  deltaIn: (event) =>
    event.type === "content_block_delta" && event.delta.type === "text_delta"
      ? event.delta.text
      : "",
  history: ({ messages }) => messages,
  goOn: (request, { content }, results) => ({
    ...request,
    messages: [...request.messages, { role: "assistant", content }, {
      role: "user",
      content: results.map(([id, text]) => ({
        ...{ type: "tool_result", tool_use_id: id, content: text },
      })),
    }],
  }),
});

/** Every row of the table. */
export const ROWS: readonly Row[] = [chat, responses, messages];
