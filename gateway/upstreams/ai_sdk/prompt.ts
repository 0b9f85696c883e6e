import { isJsonObject } from "@svc/sdk/protocol";
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { parseObject } from "../openai_compatible/body.ts";
import { type UserPart, userPart } from "./attachment.ts";
import { type CacheMark, cacheMark, resultMark } from "./cache_marks.ts";
import { reportUnknown } from "./known_members.ts";
import type { Notes } from "./notes.ts";
import { hasRounded } from "./rounded_integers.ts";
import { type AssistantPart, signatureOptions, thoughtsBefore } from "./signatures.ts";

type Fields = Readonly<Record<string, unknown>>;
type Turn<Role> = Extract<LanguageModelV4Prompt[number], { role: Role }>;
type ToolPart = Extract<LanguageModelV4Prompt[number], { role: "tool" }>["content"][number];
type FilePart = Extract<UserPart, { type: "file" }>;
type ToolOutput = Extract<ToolPart, { type: "tool-result" }>["output"];

/** Text between two cache marks. */
interface Piece {
  readonly texts: readonly string[];
  /** The mark at its end. */
  readonly mark: CacheMark | undefined;
}

/** Translates Chat's messages for a provider package. */
export function promptOf(messages: unknown, notes: Notes): LanguageModelV4Prompt {
  const builder = new PromptBuilder(notes);
  for (const [at, message] of (Array.isArray(messages) ? messages : []).entries()) {
    builder.add(isJsonObject(message) ? message : {}, `messages.${at}`);
  }
  return builder.finish();
}

class PromptBuilder {
  readonly #notes: Notes;
  /** Instructions up to each mark, and after the last. */
  readonly #system: Turn<"system">[] = [];
  readonly #turns: LanguageModelV4Prompt = [];
  /** Tool names by call id, because results contain only the id. */
  readonly #called = new Map<string, string>();
  /** Images of tool results, for providers whose results are text. */
  #pictures: UserPart[] = [];

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  add(message: Fields, path: string): void {
    if (typeof message["name"] === "string") this.#notes.allows("name", `${path}.name`);
    const { role } = message;
    if (role !== "tool") this.#showPictures();
    const of = ROLES.find((one) => one === role);
    if (of !== undefined) reportUnknown(message, { of, path, notes: this.#notes });
    switch (role) {
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
        this.#notes.refuse(`${path}.role`, `Unknown role "${role}"`);
    }
  }

  finish(): LanguageModelV4Prompt {
    this.#showPictures();
    return [...this.#system, ...this.#turns];
  }

  #addSystem(message: Fields, path: string): void {
    // Most providers accept instructions only before the conversation.
    if (this.#turns.length > 0) this.#notes.allows("late_instructions", path);
    for (const { texts, mark } of this.#upToMarks(message, path)) {
      this.#instruct(texts.join("\n"), mark);
    }
  }

  /** Appends instructions, starting anew after a mark. */
  #instruct(text: string, providerOptions: CacheMark | undefined): void {
    const last = this.#system.at(-1);
    const goesOn = last !== undefined && last.providerOptions === undefined;
    if (text === "") {
      if (goesOn && providerOptions !== undefined) last.providerOptions = providerOptions;
      return;
    }
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
      const translated = userPart(part, `${path}.content.${at}`, notes);
      if (translated !== undefined) parts.push(translated);
      const providerOptions = cacheMark(part, `${path}.content.${at}`, { notes });
      // Packages read marks at the end of a message, and put what follows into the same turn.
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
    const refused = typeof message["refusal"] === "string" ? [message["refusal"]] : [];
    // The first call's thoughts also preceded the text; if no call has thoughts, the message may.
    const thoughts = isJsonObject(calls[0]) ? thoughtsBefore(calls[0], this.#notes.format) : [];
    if (calls.length > 0 && hasWords(message)) {
      this.#notes.allows("text_before_calls", `${path}.content`);
    }
    let content = thoughts.length > 0 ? thoughts : thoughtsBefore(message, this.#notes.format);
    const signature = signatureOptions(message, this.#notes.format);
    const pieces = this.#upToMarks(message, path);
    for (const [at, { texts, mark }] of pieces.entries()) {
      const isLast = at === pieces.length - 1;
      const text = [...texts, ...isLast ? refused : []].join("");
      if (text !== "") {
        content.push({ type: "text", text, ...(signature && { providerOptions: signature }) });
      }
      if (isLast) content.push(...this.#toolCalls(calls, `${path}.tool_calls`));
      if (content.length === 0) continue;
      // Packages put what follows a mark into the same turn.
      this.#turns.push({ role: "assistant", content, ...(mark && { providerOptions: mark }) });
      content = [];
    }
  }

  #toolCalls(calls: readonly unknown[], path: string): AssistantPart[] {
    return calls.flatMap((call, at) => {
      const thoughts = at > 0 && isJsonObject(call) ? thoughtsBefore(call, this.#notes.format) : [];
      return [...thoughts, ...this.#toolCall(call, `${path}.${at}`)];
    });
  }

  #toolCall(call: unknown, path: string): AssistantPart[] {
    const called = isJsonObject(call) ? call["function"] : undefined;
    if (!isJsonObject(call) || !isJsonObject(called) || typeof call["id"] !== "string") {
      this.#notes.refuse(path, "A tool call needs an id and a function");
      return [];
    }
    reportUnknown(call, { of: "tool_call", path, notes: this.#notes });
    const place = { of: "tool_call.function", path: `${path}.function` } as const;
    reportUnknown(called, { ...place, notes: this.#notes });
    const toolCallId = call["id"];
    const toolName = String(called["name"]);
    this.#called.set(toolCallId, toolName);
    const written = typeof called["arguments"] === "string" ? called["arguments"] : "";
    // Models do write text that is no JSON, and must see what they wrote.
    const input = written === "" ? {} : parseObject(written) ?? { invalid_json: written };
    if (hasRounded(input)) this.#notes.allows("big_integers", `${path}.function.arguments`);
    const providerOptions = signatureOptions(call, this.#notes.format);
    const options = providerOptions && { providerOptions };
    return [{ type: "tool-call", toolCallId, toolName, input, ...options }];
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
    const providerOptions = resultMark(message, path, this.#notes);
    const last = this.#turns.at(-1);
    // The results of parallel calls belong to one turn, up to a mark.
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
    const files = parts.filter((part) => part.type === "file");
    if (message["is_error"] === true) {
      this.#pictures.push(...files);
      if (this.#notes.format.marksToolErrors === true) return { type: "error-text", value: text };
      // Other providers have no field for errors, but the model can read it.
      return { type: "text", value: `Error: ${text || "the tool has failed"}` };
    }
    if (files.length === 0) return { type: "text", value: text };
    const { hasOneTextResults, resultFiles } = this.#notes.format;
    const stays = (part: UserPart) => part.type === "file" && resultFiles?.test(part.mediaType);
    const shown = files.filter(stays);
    for (const part of files) if (!stays(part)) this.#pictures.push(part);
    if (shown.length === 0) return { type: "text", value: text || FOLLOWS };
    for (const [at, part] of parts.entries()) {
      if (part.type === "file" && stays(part)) this.#resultFile(part, `${path}.${at}`);
    }
    if (hasOneTextResults === true) {
      return { type: "content", value: [{ type: "text", text: text || FOLLOWS }, ...shown] };
    }
    const value = parts.filter((part) => part.type === "text" || stays(part));
    return { type: "content", value };
  }

  /** Notes what a file in a tool's result needs. */
  #resultFile(part: FilePart, path: string): void {
    const { data, filename } = part;
    if (data.type === "url") {
      this.#notes.noteAddress("result_image_url", {
        part,
        path: `${path}.image_url.url`,
        url: data.url.href,
      });
    }
    if (filename !== undefined) this.#notes.allows("result_filename", `${path}.file.filename`);
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

  /** Returns the text of a message up to each cache mark, and after the last. */
  #upToMarks(message: Fields, path: string): Piece[] {
    const { content } = message;
    const notes = this.#notes;
    const parts: readonly unknown[] = typeof content === "string"
      ? [{ type: "text", text: content }]
      : Array.isArray(content)
      ? content
      : [];
    const pieces: Piece[] = [];
    let texts: string[] = [];
    for (const [at, part] of parts.entries()) {
      const translated = userPart(part, `${path}.content.${at}`, notes);
      if (translated?.type === "text") texts.push(translated.text);
      else if (translated !== undefined) {
        notes.refuse(`${path}.content`, "Only text is supported here");
      }
      const mark = cacheMark(part, `${path}.content.${at}`, { notes });
      // Text after a mark may change while the cache stays valid.
      if (mark === undefined) continue;
      pieces.push({ texts, mark });
      texts = [];
    }
    return [...pieces, { texts, mark: cacheMark(message, path, { notes }) }];
  }
}

/** True when a message has text beside its calls. */
function hasWords({ content, refusal }: Fields): boolean {
  const words: unknown[] = [...Array.isArray(content) ? content : [content], refusal];
  return words.some((one) => {
    const text = isJsonObject(one) ? one["text"] ?? one["refusal"] : one;
    return typeof text === "string" && text !== "";
  });
}

const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;

const FOLLOWS = "The result follows as an attachment.";
