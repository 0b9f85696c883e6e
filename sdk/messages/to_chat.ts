import type { ChatCreateRequest } from "../chat/shapes.ts";
import { ConfigurationError } from "../errors.ts";
import type { ChatRequest, OutputConfig, ThinkingConfig } from "../protocol/mod.ts";
import type { MessageCreateRequest } from "./shapes.ts";
import { chatMessages, systemMessages } from "./to_chat_messages.ts";
import { chatToolChoice, chatTools } from "./to_chat_tools.ts";

/** Fields that no chat request can express. */
const REFUSED: readonly string[] = [
  ...["billing_policy", "compaction", "container", "context_management", "diagnostics"],
  ...["fallback_credit_token", "fallbacks", "inference_geo", "mcp_servers", "n"],
  ...["speed", "thread", "user_profile_id", "workspace_id"],
];

/** Thinking budget in tokens below which the next lower effort is sent. */
const MEDIUM_FROM = 4_096;
const HIGH_FROM = 16_384;

/**
 * Converts a request to Chat Completions, by the table in the documentation of `Messages`. Nothing
 * is dropped silently: a field is translated, passed on unchanged, or refused before anything is
 * sent.
 *
 * @throws {ConfigurationError} Chat Completions cannot express a field of it.
 */
export function chatRequestOf(request: MessageCreateRequest): ChatCreateRequest {
  const { messages, system, max_tokens, stop_sequences, tools, tool_choice, ...rest } = request;
  const { thinking, output_config, output_format, stream: _, ...more } = rest;
  const { metadata, service_tier, top_k, ...fields } = more;
  const output: OutputConfig = { format: output_format ?? null, ...output_config };
  const { user_id, ...about } = metadata ?? {};
  const effort = effortOf(thinking, output);
  return {
    ...passedOn(fields),
    // Chat does not have it, and OpenAI refuses it: the service passes it to providers that accept
    // it.
    ...(top_k === undefined || top_k === null
      ? {}
      : { extra_content: extraContent(fields["extra_content"], { top_k }) }),
    ...(max_tokens === undefined ? {} : { max_completion_tokens: max_tokens }),
    ...(stop_sequences === undefined ? {} : { stop: stop_sequences }),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...formatOf(output),
    ...(typeof user_id === "string" ? { user: user_id } : {}),
    ...(Object.keys(about).length === 0 ? {} : { metadata: about }),
    ...(service_tier === undefined
      ? {}
      : { service_tier: service_tier === "standard_only" ? "default" : service_tier }),
    ...(tools === undefined || tools === null ? {} : { tools: chatTools(tools) }),
    ...(tool_choice === undefined || tool_choice === null
      ? {}
      : chatToolChoice(tool_choice, tools)),
    messages: [
      ...systemMessages(system ?? []),
      ...messages.flatMap((message, at) => chatMessages(message, `messages.${at}`)),
    ],
  };
}

/** Returns the extensions of a request, with those for Anthropic. */
function extraContent(extension: unknown, anthropic: object): object {
  return {
    ...Object(extension),
    anthropic: { ...Object(Object(extension).anthropic), ...anthropic },
  };
}

/** Returns the fields that pass through unchanged. */
function passedOn(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => {
      if (!REFUSED.includes(name)) return true;
      if (value === null || value === undefined) return false;
      throw new ConfigurationError(
        `Cannot send ${name}: Chat Completions, to which Messages are converted, has no field for it`,
      );
    }),
  );
}

/** Returns Chat's reasoning effort; `undefined` leaves it to the model. */
function effortOf(
  thinking: ThinkingConfig | null | undefined,
  output: OutputConfig,
): string | undefined {
  const { type = "adaptive", budget_tokens, display }: Partial<ThinkingConfig> = thinking ?? {};
  if (display === "omitted") {
    throw new ConfigurationError(
      'Cannot send thinking.display "omitted": leave it out and skip thinking blocks',
    );
  }
  if (type === "disabled") return "none";
  const effort = output.effort ?? undefined;
  if (effort !== undefined) return effort === "max" ? "xhigh" : effort;
  if (type === "adaptive") return undefined;
  if (type !== "enabled" || typeof budget_tokens !== "number") {
    throw new ConfigurationError(
      `Cannot send thinking of the type "${type}": there are enabled, with its budget_tokens, ` +
        "adaptive and disabled",
    );
  }
  if (budget_tokens < MEDIUM_FROM) return "low";
  return budget_tokens < HIGH_FROM ? "medium" : "high";
}

/** Returns the schema of the answer, with the name that Chat demands. */
function formatOf(output: OutputConfig): Partial<Pick<ChatRequest, "response_format">> {
  const { format, effort: _, ...rest } = output;
  const [strange] = Object.keys(rest);
  if (strange !== undefined) {
    throw new ConfigurationError(`Cannot send output_config.${strange}: there are effort, format`);
  }
  if (format === undefined || format === null) return {};
  const { type, schema, ...more } = format;
  return {
    response_format: { type, json_schema: { name: "answer", schema, strict: true, ...more } },
  };
}
