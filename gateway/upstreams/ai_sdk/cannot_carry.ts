/**
 * What of a chat request a kind of upstream has no place for.
 *
 * @module
 */

import type { NativeKind } from "../../domain/catalog/catalog.ts";

/**
 * `refused`: the answer would be another one. `reported`: a hint is left out, the answer says so.
 * `changed`: it takes effect in another place or form, the answer says so. `fetched`: the gateway
 * fetches what the address names, from public addresses alone.
 */
export type Lack = "refused" | "reported" | "changed" | "fetched";

/** Lacks by feature; features are named in {@linkcode FEATURES}. */
export type Lacks = Readonly<Partial<Record<Feature, Lack>>>;

/** The features that some kind lacks, and the words for each. */
export const FEATURES = {
  n: "More than one choice (`n`)",
  logprobs: "Log probabilities (`logprobs`, `top_logprobs`)",
  logit_bias: "`logit_bias`",
  prediction: "Predicted output (`prediction`)",
  audio_output: "Spoken answers (`modalities`, `audio`)",
  input_audio: "Sound in messages (`input_audio`)",
  image_url: "Images by http(s) address (`image_url`)",
  result_image_url: "Images by http(s) address in tool results",
  file_data: "Documents in messages (`file` with `file_data`)",
  filename: "`filename` of a document",
  odd_filename: "`filename` beyond Latin letters, digits, blanks, brackets and hyphens",
  result_filename: "`filename` of a document in a tool result",
  picture_filename: "`filename` of a picture or sound that is sent as a `file`",
  file_id: "Uploaded files (`file` with `file_id`)",
  functions: "The old `functions`, `function_call` and messages of role `function`",
  hosted_tools: "Tools that are no functions, `web_search_options`",
  tool_strict: "`strict: true` of a function",
  json_strict: "`strict: true` of a JSON schema",
  parallel_tool_calls: "`parallel_tool_calls: false`",
  no_more_calls: '`tool_choice: "none"` after tool calls',
  forced_call_json: "JSON as `response_format` where a tool must be called",
  effort_room: "`reasoning_effort` where the output limit leaves thoughts no room",
  seed: "`seed`",
  penalties: "`frequency_penalty`, `presence_penalty`",
  user: "`user`",
  metadata: "`metadata` of a chat request; responses have it back",
  store: "`store: true` of a chat request; responses are kept here",
  image_detail: "`detail` of an image",
  name: "`name` of a message",
  late_instructions: "Instructions after the conversation has begun",
  big_integers: "Integers beyond 2^53 in the arguments of earlier tool calls",
  text_before_calls: "What an assistant said beside its tool calls",
  cache_control: "`cache_control` of messages and their parts",
  inner_cache_control: "`cache_control` within a tool result, before its end",
  tool_cache_control: "`cache_control` of tools",
  cache_ttl: "`ttl` of `cache_control`, other than `5m`",
  unknown: "Fields and members that are not known here",
} as const;

/** One of them. */
export type Feature = keyof typeof FEATURES;

const EVERYWHERE: Lacks = {
  n: "refused",
  logprobs: "reported",
  logit_bias: "refused",
  prediction: "refused",
  audio_output: "refused",
  file_id: "refused",
  functions: "refused",
  hosted_tools: "refused",
  user: "reported",
  metadata: "reported",
  name: "reported",
  store: "reported",
  picture_filename: "reported",
  late_instructions: "changed",
  // Their packages take arguments as values.
  big_integers: "changed",
  cache_ttl: "reported",
  unknown: "reported",
};

// Of these, whose wire is OpenAI's own.
const { user: _user, ...WITH_USER } = EVERYWHERE;

// Such providers keep in their caches what they see fit.
const UNMARKED: Lacks = {
  cache_control: "reported",
  inner_cache_control: "reported",
  tool_cache_control: "reported",
};

// Their packages let some Claudes write JSON by a tool of their own, which must be called and is held
// to nothing, and add the tokens for thoughts to the output limit.
const CLAUDES: Lacks = {
  json_strict: "reported",
  forced_call_json: "reported",
  effort_room: "reported",
  inner_cache_control: "changed",
};

/** By kind. The documentation's table is made of it, and requests are held against it. */
export const CANNOT_CARRY: Readonly<Record<NativeKind, Lacks>> = {
  anthropic: {
    ...EVERYWHERE,
    ...CLAUDES,
    input_audio: "refused",
    result_filename: "reported",
    seed: "reported",
    penalties: "reported",
    image_detail: "reported",
  },
  google: {
    ...EVERYWHERE,
    ...UNMARKED,
    filename: "reported",
    odd_filename: "reported",
    result_filename: "reported",
    image_url: "fetched",
    result_image_url: "fetched",
    parallel_tool_calls: "reported",
    image_detail: "reported",
  },
  "google-vertex": {
    ...EVERYWHERE,
    ...UNMARKED,
    filename: "reported",
    odd_filename: "reported",
    result_filename: "reported",
    // The package would fetch it by itself, from anywhere.
    result_image_url: "fetched",
    parallel_tool_calls: "reported",
    image_detail: "reported",
  },
  "amazon-bedrock": {
    ...EVERYWHERE,
    ...CLAUDES,
    image_url: "fetched",
    result_image_url: "fetched",
    input_audio: "refused",
    tool_cache_control: "reported",
    odd_filename: "changed",
    parallel_tool_calls: "reported",
    // Its package then takes the calls and their results out of the conversation.
    no_more_calls: "reported",
    seed: "reported",
    penalties: "reported",
    image_detail: "reported",
  },
  azure: { ...WITH_USER, ...UNMARKED },
  mistral: {
    ...EVERYWHERE,
    ...UNMARKED,
    input_audio: "refused",
    filename: "reported",
    odd_filename: "reported",
    result_filename: "reported",
    image_detail: "reported",
  },
  cohere: {
    ...EVERYWHERE,
    ...UNMARKED,
    input_audio: "refused",
    file_data: "refused",
    filename: "refused",
    odd_filename: "refused",
    result_filename: "refused",
    picture_filename: "refused",
    text_before_calls: "reported",
    tool_strict: "reported",
    parallel_tool_calls: "reported",
    image_detail: "reported",
  },
};
