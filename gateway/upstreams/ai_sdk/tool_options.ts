import { isJsonObject } from "@svc/sdk/protocol";
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool as FunctionTool,
} from "@ai-sdk/provider";
import { cacheMark } from "./cache_marks.ts";
import { reportUnknown } from "./known_members.ts";
import type { Notes } from "./notes.ts";

type Fields = Readonly<Record<string, unknown>>;
type ToolOptions = Partial<Pick<LanguageModelV4CallOptions, "tools" | "toolChoice">>;

/** Translates the functions of a chat request, and the choice among them. */
export function toolOptions(value: Fields, notes: Notes): ToolOptions {
  const written: unknown[] = Array.isArray(value["tools"]) ? value["tools"] : [];
  const tools = written.flatMap((tool, at) => functionTool(tool, `tools.${at}`, notes) ?? []);
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...chosen(value["tool_choice"], tools, notes),
  };
}

function chosen(choice: unknown, tools: readonly FunctionTool[], notes: Notes): ToolOptions {
  if (choice == null) return {};
  if (tools.length === 0) {
    const isIdle = choice === "auto" || choice === "none";
    if (!isIdle) notes.refuse("tool_choice", "There is no function to choose");
    return {};
  }
  if (choice === "auto" || choice === "none" || choice === "required") {
    return { toolChoice: { type: choice } };
  }
  if (isJsonObject(choice)) {
    if (choice["type"] === "allowed_tools") return allowed(choice["allowed_tools"], tools, notes);
    const toolName = nameOf(choice);
    if (toolName !== undefined) {
      requireDeclared([toolName], tools, notes);
      return { toolChoice: { type: "tool", toolName } };
    }
  }
  notes.refuse("tool_choice", "This provider does not support this tool choice");
  return {};
}

/** Restricts the declared tools to those that the model may call. */
function allowed(choice: unknown, tools: readonly FunctionTool[], notes: Notes): ToolOptions {
  const { mode, tools: written } = isJsonObject(choice) ? choice : {};
  const names = (Array.isArray(written) ? written : []).map((tool) =>
    isJsonObject(tool) ? nameOf(tool) : undefined
  ).filter((name) => name !== undefined);
  const isWhole = Array.isArray(written) && written.length > 0 && names.length === written.length;
  if ((mode !== "auto" && mode !== "required") || !isWhole) {
    notes.refuse("tool_choice.allowed_tools", "Send a mode and the functions that may be called");
    return {};
  }
  requireDeclared(names, tools, notes);
  return { tools: tools.filter(({ name }) => names.includes(name)), toolChoice: { type: mode } };
}

function nameOf({ function: called }: Fields): string | undefined {
  const name = isJsonObject(called) ? called["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}

function requireDeclared(
  names: readonly string[],
  tools: readonly FunctionTool[],
  notes: Notes,
): void {
  const known = new Set(tools.map(({ name }) => name));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) notes.refuse("tool_choice", `No function "${unknown}" is declared`);
}

function functionTool(tool: unknown, path: string, notes: Notes): FunctionTool | undefined {
  const declared = isJsonObject(tool) ? tool["function"] : undefined;
  if (!isJsonObject(tool) || tool["type"] !== "function" || !isJsonObject(declared)) {
    notes.allows("hosted_tools", `${path}.type`);
    return undefined;
  }
  reportUnknown(tool, { of: "declaration", path, notes });
  const place = { of: "declaration.function", path: `${path}.function` } as const;
  reportUnknown(declared, { ...place, notes });
  const { name, description, parameters, strict } = declared;
  if (strict != null && typeof strict !== "boolean") {
    notes.refuse(`${path}.function.strict`, "Send true or false");
  }
  const isStrict = typeof strict === "boolean" &&
    (!strict || notes.allows("tool_strict", `${path}.function.strict`));
  const providerOptions = cacheMark(tool, path, { notes, feature: "tool_cache_control" });
  return {
    type: "function",
    name: String(name),
    inputSchema: isJsonObject(parameters) ? parameters : { type: "object", properties: {} },
    ...(typeof description === "string" ? { description } : {}),
    ...(isStrict ? { strict } : {}),
    ...(providerOptions && { providerOptions }),
  };
}
