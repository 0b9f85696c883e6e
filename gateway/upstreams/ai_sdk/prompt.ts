import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { isRecord, parseObject } from "../openai_compatible/body.ts";
import { type UserPart, userPart } from "./attachment.ts";
import { cacheMark, messageMark } from "./cache_marks.ts";
import type { Notes } from "./notes.ts";
import { type AssistantPart, signatureOptions, thoughtsBefore } from "./signatures.ts";

type Fields = Readonly<Record<string, unknown>>;
type Turn<Role> = Extract<LanguageModelV4Prompt[number], { role: Role }>;
type ToolPart = Extract<LanguageModelV4Prompt[number], { role: "tool" }>["content"][number];
type ToolOutput = Extract<ToolPart, { type: "tool-result" }>["output"];

/** Chat's messages as the provider packages take them. */
export function promptOf(messages: unknown, notes: Notes): LanguageModelV4Prompt {
  const builder = new PromptBuilder(notes);
  for (const [at, message] of (Array.isArray(messages) ? messages : []).entries()) {
    builder.add(isRecord(message) ? message : {}, `messages.${at}`);
  }
  return builder.finish();
}

class PromptBuilder {
  readonly #notes: Notes;
  /** Instructions up to each mark, and after the last. */
  readonly #system: Turn<"system">[] = [];
  readonly #turns: LanguageModelV4Prompt = [];
  /** Tool names by the id of the call: results only quote the id. */
  readonly #called = new Map<string, string>();
  /** Pictures from tool results, for kinds whose results are text. */
  #pictures: UserPart[] = [];

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  add(message: Fields, path: string): void {
    if (typeof message["name"] === "string") this.#notes.allows("name", `${path}.name`);
    if (message["role"] !== "tool") this.#showPictures();
    switch (message["role"]) {
      case "system":
      case "developer":
        return this.#addSystem(message, path);
      case "user":
        return this.#addUser(message, path);
      case "assistant":
        return this.#addAssistant(message, path);
      case "tool":
        return this.#addToolResult(message, path);
      case "function":
        this.#notes.allows("functions", `${path}.role`);
        return;
      default:
        this.#notes.refuse(`${path}.role`, `Unknown role "${message["role"]}"`);
    }
  }

  finish(): LanguageModelV4Prompt {
    this.#showPictures();
    return [...this.#system, ...this.#turns];
  }

  #addSystem(message: Fields, path: string): void {
    // Most providers know instructions only before the conversation.
    if (this.#turns.length > 0) {
      this.#notes.warnings.push(`"${path}" was moved to the front of the conversation`);
    }
    const text = this.#textOf(message["content"], `${path}.content`);
    const providerOptions = messageMark(message, path, this.#notes);
    if (text === "") return;
    const last = this.#system.at(-1);
    const goesOn = last !== undefined && last.providerOptions === undefined;
    const content = goesOn ? `${last.content}\n\n${text}` : text;
    if (goesOn) this.#system.pop();
    this.#system.push({ role: "system", content, ...(providerOptions && { providerOptions }) });
  }

  #addUser(message: Fields, path: string): void {
    const { content } = message;
    const notes = this.#notes;
    const written: unknown[] = Array.isArray(content) ? content : [];
    let parts = typeof content === "string" ? this.#parts(content, path) : [];
    for (const [at, part] of written.entries()) {
      const made = userPart(part, `${path}.content.${at}`, notes);
      if (made !== undefined) parts.push(made);
      const providerOptions = cacheMark(part, `${path}.content.${at}`, { notes });
      // Packages know marks at the end of a message, and put what follows into the same turn.
      if (providerOptions === undefined || parts.length === 0) continue;
      this.#turns.push({ role: "user", content: parts, providerOptions });
      parts = [];
    }
    const providerOptions = cacheMark(message, path, { notes });
    if (parts.length === 0) return;
    this.#turns.push({ role: "user", content: parts, ...(providerOptions && { providerOptions }) });
  }

  #addAssistant(message: Fields, path: string): void {
    if (message["function_call"] != null) this.#notes.allows("functions", `${path}.function_call`);
    if (message["audio"] != null) this.#notes.allows("audio_output", `${path}.audio`);
    const calls: unknown[] = Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [];
    const content: AssistantPart[] = [];
    // The first call's thoughts stood before the text too.
    if (isRecord(calls[0])) content.push(...thoughtsBefore(calls[0], this.#notes.kind));
    const text = this.#textOf(message["content"], `${path}.content`) ||
      (typeof message["refusal"] === "string" ? message["refusal"] : "");
    const providerOptions = signatureOptions(message, this.#notes.kind);
    if (text !== "") {
      content.push({ type: "text", text, ...(providerOptions && { providerOptions }) });
    }
    for (const [at, call] of calls.entries()) {
      if (at > 0 && isRecord(call)) content.push(...thoughtsBefore(call, this.#notes.kind));
      const part = this.#toolCall(call, `${path}.tool_calls.${at}`);
      if (part !== undefined) content.push(part);
    }
    const mark = messageMark(message, path, this.#notes);
    if (content.length === 0) return;
    this.#turns.push({ role: "assistant", content, ...(mark && { providerOptions: mark }) });
  }

  #toolCall(call: unknown, path: string): AssistantPart | undefined {
    const called = isRecord(call) ? call["function"] : undefined;
    if (!isRecord(call) || !isRecord(called) || typeof call["id"] !== "string") {
      this.#notes.refuse(path, "A tool call needs an id and a function");
      return undefined;
    }
    const toolCallId = call["id"];
    const toolName = String(called["name"]);
    this.#called.set(toolCallId, toolName);
    const written = typeof called["arguments"] === "string" ? called["arguments"] : "";
    // Models do write text that does not parse, and must be shown what they wrote.
    const input = written === "" ? {} : parseObject(written) ?? { invalid_json: written };
    const providerOptions = signatureOptions(call, this.#notes.kind);
    return {
      type: "tool-call",
      toolCallId,
      toolName,
      input,
      ...(providerOptions && { providerOptions }),
    };
  }

  #addToolResult(message: Fields, path: string): void {
    const toolCallId = String(message["tool_call_id"]);
    const toolName = this.#called.get(toolCallId);
    if (toolName === undefined) {
      this.#notes.refuse(`${path}.tool_call_id`, "No earlier tool call has this id");
      return;
    }
    const output = this.#toolOutput(message, `${path}.content`);
    const part: ToolPart = { type: "tool-result", toolCallId, toolName, output };
    const providerOptions = messageMark(message, path, this.#notes);
    const last = this.#turns.at(-1);
    // The results of parallel calls belong into one turn, up to a mark.
    if (last?.role === "tool" && last.providerOptions === undefined) {
      last.content.push(part);
      if (providerOptions !== undefined) last.providerOptions = providerOptions;
    } else {
      this.#turns.push({
        role: "tool",
        content: [part],
        ...(providerOptions && { providerOptions }),
      });
    }
  }

  #toolOutput(message: Fields, path: string): ToolOutput {
    const parts = this.#parts(message["content"], path);
    const text = parts.flatMap((part) => part.type === "text" ? [part.text] : []).join("\n");
    if (message["is_error"] === true) return { type: "error-text", value: text };
    const files = parts.filter((part) => part.type === "file");
    if (files.length === 0) return { type: "text", value: text };
    if (!RICH_RESULTS.has(this.#notes.kind)) {
      this.#pictures.push(...files);
      return { type: "text", value: text || "The result follows as an attachment." };
    }
    for (const part of files) {
      if (part.data.type !== "url") continue;
      this.#notes.noteAddress("result_image_url", { part, path, url: part.data.url.href });
    }
    return { type: "content", value: parts };
  }

  #showPictures(): void {
    if (this.#pictures.length === 0) return;
    this.#turns.push({ role: "user", content: this.#pictures });
    this.#pictures = [];
  }

  #parts(content: unknown, path: string): UserPart[] {
    if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
    if (!Array.isArray(content)) return [];
    return content.flatMap((part, at) => userPart(part, `${path}.${at}`, this.#notes) ?? []);
  }

  #textOf(content: unknown, path: string): string {
    return this.#parts(content, path).flatMap((part) => {
      if (part.type === "text") return [part.text];
      this.#notes.refuse(path, "Only text can be carried here");
      return [];
    }).join("\n");
  }
}

/** Kinds whose tool results may hold pictures; elsewhere they follow in a message of the user. */
const RICH_RESULTS: ReadonlySet<string> = new Set([
  "anthropic",
  "amazon-bedrock",
  "google",
  "google-vertex",
]);
