import { assertEquals } from "@std/assert";
import type { Tool } from "@svc/tools";
import type { ChatShapes, DefaultToolName, RunOptions, ServiceClientOptions } from "../mod.ts";
import {
  call,
  completion,
  json,
  MESSAGES,
  scripted,
  sse,
  streamOf,
} from "../scripted_service_test.ts";

const LOCAL: readonly DefaultToolName[] = [
  ...["calculator", "datetime", "file_read", "list_dir", "file_search"] as const,
  ...["file_write", "shell"] as const,
];

/** A tool that says who answered. */
const tool = (name: string, who: string): Tool => ({ name, parameters: {}, execute: () => who });
/** The model calls it; the application may have registered one of this name. */
const CALLED = "calculator";
const client = tool(CALLED, "client");
const run = tool(CALLED, "run");
const bare: Tool = { name: CALLED, parameters: {} };
const handlers = { [CALLED]: () => "handler" };
const own = [{ type: "function", function: { name: "own" } }];

/** Set-up of a case; an absent member is not set. */
interface Setup {
  readonly client?: ServiceClientOptions;
  readonly request?: Readonly<Record<string, unknown>>;
  readonly run?: RunOptions<ChatShapes>;
}

/**
 * The declared tools, and the side that answers the model's call: none, the loop with an error, or
 * a tool.
 */
interface Outcome {
  readonly declares: readonly string[] | undefined;
  readonly create: string;
  readonly run: string;
}

const NOBODY = "nobody";
const NOT_FOUND = "tool_handler_not_found";
const DEFAULT = "default";

const CASES: Readonly<Record<string, readonly [setup: Setup, outcome: Outcome]>> = {
  "1: the request's own tools are copied unchanged": [
    { request: { tools: own } },
    { declares: ["own"], create: NOBODY, run: NOT_FOUND },
  ],
  "1: an empty list suppresses the defaults": [
    { request: { tools: [] } },
    { declares: [], create: NOBODY, run: NOT_FOUND },
  ],
  "1: an empty list suppresses what is registered": [
    { request: { tools: [] }, client: { tools: [client] } },
    { declares: [], create: NOBODY, run: "client" },
  ],
  "1: null and absent are no tools of its own": [
    { request: { tools: null } },
    { declares: LOCAL, create: DEFAULT, run: DEFAULT },
  ],
  "2: registered tools replace the defaults": [
    { client: { tools: [tool("other", "client")] } },
    { declares: ["other"], create: NOBODY, run: NOT_FOUND },
  ],
  "2: an empty set replaces nothing": [
    { client: { tools: [], toolHandlers: {} }, run: { tools: [], toolHandlers: {} } },
    { declares: LOCAL, create: DEFAULT, run: DEFAULT },
  ],
  "2: handlers alone replace the defaults, and declare nothing": [
    { client: { toolHandlers: handlers } },
    { declares: undefined, create: NOBODY, run: "handler" },
  ],
  "3: defaults are injected and run where neither is": [
    {},
    { declares: LOCAL, create: DEFAULT, run: DEFAULT },
  ],
  "3: some of them are left out": [
    { client: { withoutDefaultTools: ["calculator", "shell", "file_write"] } },
    {
      declares: ["datetime", "file_read", "list_dir", "file_search"],
      create: NOT_FOUND,
      run: NOT_FOUND,
    },
  ],
  "3: hosted ones are declared, and never run here": [
    { client: { defaultBuiltinTools: true, defaultLocalTools: false } },
    { declares: ["web_search_preview"], create: NOBODY, run: NOT_FOUND },
  ],
  "3: local and hosted ones": [
    { client: { defaultBuiltinTools: true } },
    { declares: [...LOCAL, "web_search_preview"], create: DEFAULT, run: DEFAULT },
  ],
  "3: a hosted one is left out by its name": [
    { client: { defaultBuiltinTools: true, withoutDefaultTools: ["web_search_preview"] } },
    { declares: LOCAL, create: DEFAULT, run: DEFAULT },
  ],
  "3: none at all": [
    { client: { defaultLocalTools: false } },
    { declares: undefined, create: NOBODY, run: NOT_FOUND },
  ],
  "4: create and stream run nothing that the application registered": [
    { client: { tools: [client] } },
    { declares: [CALLED], create: NOBODY, run: "client" },
  ],
  "5: a name that nobody registered never falls back to a default": [
    { client: { tools: [tool("other", "client")] }, request: { tools: own } },
    { declares: ["own"], create: NOBODY, run: NOT_FOUND },
  ],
  "a registered tool is never left out": [
    { client: { tools: [client], withoutDefaultTools: ["calculator"] } },
    { declares: [CALLED], create: NOBODY, run: "client" },
  ],
  "a handler runs a tool that has none": [
    { client: { tools: [bare], toolHandlers: handlers } },
    { declares: [CALLED], create: NOBODY, run: "handler" },
  ],
  "a tool's own function comes before a handler": [
    { client: { tools: [client], toolHandlers: handlers } },
    { declares: [CALLED], create: NOBODY, run: "client" },
  ],
  "5: a tool without a function is not found, and no default takes its place": [
    { client: { tools: [bare] } },
    { declares: [CALLED], create: NOBODY, run: NOT_FOUND },
  ],
  "a tool without a function is handed back where the run says so": [
    { client: { tools: [bare] }, run: { manualTools: [CALLED] } },
    { declares: [CALLED], create: NOBODY, run: NOBODY },
  ],
  "a tool that the request declares is handed back where the run says so": [
    { request: { tools: own }, run: { manualTools: true } },
    { declares: ["own"], create: NOBODY, run: NOBODY },
  ],
  "a run's tools stand beside the client's, and before them": [
    { client: { tools: [client, tool("other", "client")] }, run: { tools: [run] } },
    { declares: [CALLED, "other"], create: NOBODY, run: "run" },
  ],
  "a run's tools are registered for that run alone": [
    { run: { tools: [run] } },
    { declares: undefined, create: DEFAULT, run: "run" },
  ],
  "a run's handler comes before the client's function": [
    { client: { tools: [client] }, run: { toolHandlers: handlers } },
    { declares: [CALLED], create: NOBODY, run: "handler" },
  ],
  "a run's tool comes before its own handler": [
    { client: { tools: [client] }, run: { tools: [run], toolHandlers: handlers } },
    { declares: [CALLED], create: NOBODY, run: "run" },
  ],
  "a run's handler answers what the request declares": [
    { request: { tools: own }, run: { toolHandlers: handlers } },
    { declares: ["own"], create: NOBODY, run: "handler" },
  ],
};

/** Returns the side that answered the call, as the second request shows. */
function answered(second: Readonly<Record<string, unknown>> | undefined): string {
  const [result]: string[] = Object(second).messages?.slice(-1).map(Object).map(contentOf) ?? [];
  if (result === undefined) return NOBODY;
  if (result.includes(NOT_FOUND)) return NOT_FOUND;
  return result.includes('"result":"2"') ? DEFAULT : result;
}

function contentOf({ content }: { readonly content: string }): string {
  return content;
}

const CALLING = { tool_calls: [call("call_1", CALLED, { expression: "1 + 1" })] };
const DONE = { content: "Done" };

for (const [name, [setup, expected]] of Object.entries(CASES)) {
  for (const method of ["create", "stream", "run", "runStream"] as const) {
    Deno.test(`tool rule ${name}, with ${method}`, async () => {
      const isRun = method === "run" || method === "runStream";
      const isStream = method === "stream" || method === "runStream";
      const script = isStream
        ? [sse(...streamOf(CALLING)), sse(...streamOf(DONE))]
        : [json(completion(CALLING)), json(completion(DONE))];
      const options = { defaultLocalTools: true, ...setup.client };
      const { client, sent } = scripted(script, options);
      const { completions } = client.chat;
      const request = { messages: MESSAGES, ...setup.request };
      await (isRun ? completions[method](request, setup.run) : completions[method](request));

      const [first, second] = sent.map(({ json }) => json);
      const tools: unknown = first?.["tools"];
      const names = Array.isArray(tools)
        ? tools.map(({ type, function: named }) => named?.name ?? type)
        : undefined;
      // Tools of a run are declared by it alone.
      const declares = setup.run?.tools?.length && !setup.client
        ? isRun ? [CALLED] : LOCAL
        : expected.declares;
      assertEquals(names, declares && [...declares]);
      if (setup.request?.["tools"]) assertEquals(tools, setup.request["tools"]);
      assertEquals(answered(second), isRun ? expected.run : expected.create);
    });
  }
}
