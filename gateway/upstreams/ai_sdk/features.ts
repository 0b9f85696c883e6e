/**
 * Features of chat requests that some provider cannot carry, and what the gateway does about each.
 *
 * @module
 */

/**
 * Treatment of a feature that a provider lacks.
 *
 * - `refused`: the request is refused, because the answer would be a different one.
 * - `reported`: the field is left out, and the answer lists it.
 * - `changed`: the field takes effect in another place or form, and the answer lists it.
 * - `fetched`: the gateway fetches the address, from public addresses only, and sends the bytes.
 */
export type Lack = "refused" | "reported" | "changed" | "fetched";

/** Treatment of each feature that a provider lacks. */
export type Lacks = Readonly<Partial<Record<Feature, Lack>>>;

/** Features that some provider lacks, each with its name in documentation and messages. */
export const FEATURES = {
  n: "More than one choice (`n`)",
  logprobs: "Log probabilities (`logprobs`, `top_logprobs`)",
  logit_bias: "`logit_bias`",
  prediction: "Predicted output (`prediction`)",
  audio_output: "Audio output (`modalities`, `audio`)",
  input_audio: "Audio in messages (`input_audio`)",
  image_url: "Images by http(s) address (`image_url`)",
  result_image_url: "Images by http(s) address in tool results",
  file_data: "Documents in messages (`file` with `file_data`)",
  filename: "`filename` of a document",
  odd_filename:
    "`filename` with other characters than Latin letters, digits, blanks, brackets and hyphens",
  result_filename: "`filename` of a document in a tool result",
  picture_filename: "`filename` of an image or audio that is sent as a `file`",
  file_id: "Uploaded files (`file` with `file_id`)",
  functions: "The deprecated `functions`, `function_call` and messages of role `function`",
  hosted_tools: "Tools other than functions, `web_search_options`",
  tool_strict: "`strict: true` of a function",
  json_strict: "`strict: true` of a JSON schema",
  parallel_tool_calls: "`parallel_tool_calls: false`",
  no_more_calls: '`tool_choice: "none"` after tool calls',
  forced_call_json: "JSON as `response_format` together with a required tool call",
  effort_room: "`reasoning_effort` with an output limit too small for thinking",
  seed: "`seed`",
  penalties: "`frequency_penalty`, `presence_penalty`",
  user: "`user`",
  metadata: "`metadata` of a chat request; responses return it",
  store: "`store: true` of a chat request; the gateway stores only responses",
  image_detail: "`detail` of an image",
  name: "`name` of a message",
  late_instructions: "Instructions after the conversation has begun",
  big_integers: "Integers beyond 2^53 in the arguments of earlier tool calls",
  text_before_calls: "Text of an assistant beside its tool calls",
  cache_control: "`cache_control` of messages and their parts",
  inner_cache_control: "`cache_control` within a tool result, before its end",
  tool_cache_control: "`cache_control` of tools",
  cache_ttl: "`ttl` of `cache_control`, other than `5m`",
  unknown: "Unknown fields and members",
} as const;

/** A key of {@linkcode FEATURES}. */
export type Feature = keyof typeof FEATURES;

/** Lacks of every provider that is called through its package. */
export const EVERYWHERE: Lacks = {
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
  // The packages take arguments as parsed values.
  big_integers: "changed",
  cache_ttl: "reported",
  unknown: "reported",
};

const { user: _user, ...withUser } = EVERYWHERE;

/** Lacks of packages whose wire is OpenAI's own. */
export const WITH_USER: Lacks = withUser;

/** Lacks of providers that decide on their own what to cache. */
export const UNMARKED: Lacks = {
  cache_control: "reported",
  inner_cache_control: "reported",
  tool_cache_control: "reported",
};

/**
 * Lacks of the packages for Claude's models. For some models they produce JSON through a tool of the
 * package, which must be called and is not held to the schema; and they add the tokens for thoughts
 * to the output limit.
 */
export const CLAUDES: Lacks = {
  json_strict: "reported",
  forced_call_json: "reported",
  effort_room: "reported",
  inner_cache_control: "changed",
};
