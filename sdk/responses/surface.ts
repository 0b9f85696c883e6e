import type { Tool } from "@svc/tools";
import { withModel } from "../call.ts";
import { ConfigurationError } from "../errors.ts";
import type { ToolResult } from "../loop/mod.ts";
import type {
  ResponseFunctionTool,
  ResponseInputItem,
  ResponsesRequest,
  ResponseToolChoice,
} from "../protocol/mod.ts";
import { attachedTo, imageAddress } from "../run/attached.ts";
import { combined } from "../run/combined.ts";
import { declares, type Surface } from "../run/surface.ts";
import { reportingTasks } from "../run/tasks.ts";
import type { OutputText, ResponseShapes } from "./shapes.ts";
import { outputText, ResponseTurns } from "./turns.ts";

/** The conversation in the result of a run of Responses, and the text of its last response. */
export interface ResponseHistory extends OutputText {
  /** Every item so far, to be sent again unchanged. */
  readonly input: ResponseInputItem[];
}

/** Responses. */
export const responseSurface: Surface<ResponseShapes, ResponseHistory> = {
  model: (transport, options) =>
    reportingTasks(new ResponseTurns(transport, options), options.onTask),

  begin(request) {
    const { input } = request;
    if (input !== undefined && typeof input !== "string" && !Array.isArray(input)) {
      throw new ConfigurationError("Cannot send this input: pass a text or a list of items");
    }
    return withModel(request);
  },

  hasOwnTools: ({ tools }) => tools !== undefined && tools !== null,

  withTools: (request, { functions, hosted }) => ({
    ...request,
    tools: [...functions.map(declaration), ...hosted.map((type) => ({ type }))],
  }),

  // Complete: only the provider can read its encrypted reasoning and its signed calls.
  withAssistantTurn: (request, { output }) => ({
    ...request,
    input: [...itemsOf(request.input), ...output],
  }),

  withToolResults: (request, results) => ({
    ...request,
    input: [
      ...itemsOf(request.input),
      ...results.map(({ call, text }) => ({
        ...{ type: `${call.raw.type}_output`, call_id: call.id, output: text },
      })),
      ...shown(results),
    ],
  }),

  withAutoToolChoice(request) {
    const { tool_choice: choice } = request;
    return choice === undefined || choice === null
      ? request
      : { ...request, tool_choice: relaxed(choice) };
  },

  mayCallTools: ({ tools, tool_choice }) =>
    tool_choice !== "none" && declares(tools, ["function", "custom"]),

  history: ({ input }, last) => ({ input: itemsOf(input), ...outputText(last?.output_text ?? "") }),

  about: ({ metadata, requestId }) => ({ billing: metadata?.billing, requestId }),

  combined,
};

/** Returns an input as a list of items. */
function itemsOf(input: ResponsesRequest["input"]): ResponseInputItem[] {
  if (typeof input !== "string") return input ?? [];
  return [{ type: "message", role: "user", content: input }];
}

/** Returns the images of results, in a message of the user: not every upstream takes other results
 * than text.
 */
function shown(results: readonly ToolResult<ResponseShapes>[]): ResponseInputItem[] {
  const content = results.flatMap(({ call, images = [] }) =>
    images.length === 0 ? [] : [
      { type: "input_text" as const, text: attachedTo(call.id) },
      ...images.map((image) => ({
        ...{ type: "input_image" as const, detail: "auto" as const },
        image_url: imageAddress(image),
      })),
    ]
  );
  return content.length === 0 ? [] : [{ type: "message", role: "user", content }];
}

/**
 * Declares a tool: flat, and not strict, because in strict mode some upstreams require every
 * optional argument.
 */
function declaration({ name, description, parameters }: Tool): ResponseFunctionTool {
  return {
    ...{ type: "function", name, parameters, strict: false },
    ...(description === undefined ? {} : { description }),
  };
}

/** Returns a choice that no longer forces a call; a choice among some tools stays one. */
function relaxed(choice: ResponseToolChoice): ResponseToolChoice {
  if (choice === "none") return choice;
  if (typeof choice === "string" || choice.type !== "allowed_tools") return "auto";
  return { ...choice, mode: "auto" };
}
