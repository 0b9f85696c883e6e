/**
 * Turns the values entered in the playground into the call that an application would make.
 *
 * @module
 */

import type { PLAYGROUND_ENDPOINTS } from "../../../admin_api/operations/playground.ts";

/** The kinds of calls. */
export const KINDS = ["chat", "responses", "images"] as const;
/** The kind of a call. */
export type Kind = typeof KINDS[number];

/** Sizes of images that are offered. */
export const SIZES = ["1024x1024", "1536x1024", "1024x1536", "512x512", "256x256"] as const;

/** A call, as the operator's API takes it. */
export interface PlaygroundCall {
  readonly wallet: string;
  readonly endpoint: typeof PLAYGROUND_ENDPOINTS[number];
  readonly body: Readonly<Record<string, unknown>>;
  /** `undefined`: as the key's policy has it. */
  readonly orchestration: string | undefined;
}

/** A field that cannot be sent as it is. */
export type Problem = "emptyPrompt" | "badTokens";

/** The kind that a form or an address names; chat where it names none. */
export function kindOf(fields: URLSearchParams): Kind {
  const named = fields.get("kind");
  return KINDS.find((kind) => kind === named) ?? "chat";
}

/** The call of what was entered, or what is wrong with it. Streamed where that is asked for and can be. */
export function callOf(
  fields: URLSearchParams,
  { stream }: { stream: boolean },
): PlaygroundCall | { readonly problem: Problem } {
  const prompt = text(fields, "prompt");
  if (prompt.trim() === "") return { problem: "emptyPrompt" };
  const tokens = text(fields, "maxTokens").trim();
  if (!/^(?:[1-9]\d{0,8})?$/.test(tokens)) return { problem: "badTokens" };
  const longest = tokens === "" ? undefined : Number(tokens);
  const wanted = {
    prompt,
    system: text(fields, "system").trim(),
    longest,
    size: fields.get("size") ?? "",
  };
  const kind = kindOf(fields);
  const orchestration = fields.get("orchestration") ?? "";
  return {
    wallet: fields.get("wallet") ?? "",
    endpoint: kind === "images" ? "images.generations" : kind,
    body: { ...bodyOf(kind, wanted), ...(stream && kind !== "images" ? { stream: true } : {}) },
    orchestration: orchestration === "" || kind === "images" ? undefined : orchestration,
  };
}

interface Wanted {
  readonly prompt: string;
  readonly system: string;
  readonly longest: number | undefined;
  readonly size: string;
}

function bodyOf(kind: Kind, { prompt, system, longest, size }: Wanted): Record<string, unknown> {
  switch (kind) {
    case "chat":
      return {
        model: "auto",
        messages: [
          ...(system === "" ? [] : [{ role: "system", content: system }]),
          { role: "user", content: prompt },
        ],
        ...(longest === undefined ? {} : { max_completion_tokens: longest }),
      };
    case "responses":
      return {
        model: "auto",
        ...(system === "" ? {} : { instructions: system }),
        input: prompt,
        ...(longest === undefined ? {} : { max_output_tokens: longest }),
        // What is tried out is not kept.
        store: false,
      };
    case "images":
      return {
        model: "auto",
        prompt,
        ...(size === "" ? {} : { size }),
        response_format: "b64_json",
      };
  }
}

/** As it was typed: forms end their lines with two characters. */
function text(fields: URLSearchParams, name: string): string {
  return (fields.get(name) ?? "").replaceAll("\r\n", "\n");
}
