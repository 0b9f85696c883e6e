/**
 * Example bodies of the public listener's description. A test checks each against its schema.
 *
 * @module
 */

const ROUTING = {
  model: "fast-mini",
  provider: "openai",
  tier: "standard",
  reason: "Number 1 of 3 at the dial balanced for a prompt of difficulty 0.2: 71 % good answers " +
    "expected (quality 0.62), at most 12.400000 credits",
  considered: 7,
  dial: 0.5,
  plan: "value",
  difficulty: 0.2,
  p: 0.71,
  p_error: 0.04,
  outcomes: 0,
  snapshot: 12,
  task: "a29944ec37665e79",
  attempts: [{ model: "fast-mini", provider: "openai", outcome: "ok", status: 200, ms: 412 }],
};

/** Metadata that the service adds to an answer. */
export const METADATA = {
  request_id: "req_01JD2X",
  routing: ROUTING,
  billing: {
    currency: "credits",
    charged: "0.412000",
    input_tokens: 12,
    cached_input_tokens: 0,
    output_tokens: 30,
    total_tokens: 42,
    estimated: false,
    price_version: 17,
  },
};

/** A vote on an answer. */
export const FEEDBACK_REQUEST = {
  request_id: "req_01JD2X",
  score: 0,
  comment: "Rhône is missing",
  source: "support-desk",
};

/** The answer to {@linkcode FEEDBACK_REQUEST}. */
export const FEEDBACK = {
  success: true,
  data: { request_id: "req_01JD2X", log_id: "log_01JD2X", source: "support-desk", score: 0 },
};

/** A request of Chat Completions. */
export const CHAT_REQUEST = {
  model: "auto",
  messages: [{ role: "user", content: "Name three rivers of Europe" }],
};

/** The answer to {@linkcode CHAT_REQUEST}. */
export const CHAT_ANSWER = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_795_262_400,
  model: "fast-mini",
  choices: [{
    index: 0,
    message: { role: "assistant", content: "Danube, Rhine, Volga" },
    finish_reason: "stop",
  }],
  usage: { prompt_tokens: 12, completion_tokens: 30, total_tokens: 42 },
  metadata: METADATA,
};

/** The last event of a streamed chat before `[DONE]`. */
export const CHAT_EVENT = {
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_795_262_400,
  model: "fast-mini",
  choices: [],
  usage: { prompt_tokens: 12, completion_tokens: 30, total_tokens: 42 },
  metadata: METADATA,
};

/** A request of Responses. */
export const RESPONSES_REQUEST = {
  model: "auto",
  input: "What happened in Geneva today?",
  tools: [{ type: "web_search_preview" }],
};

/** An event of a streamed response. */
export const RESPONSE_EVENT = {
  type: "response.output_text.delta",
  sequence_number: 5,
  item_id: "msg_1",
  output_index: 0,
  content_index: 0,
  delta: "The ",
  logprobs: [],
};

/** A request to draw an image. */
export const IMAGE_REQUEST = { model: "auto", prompt: "A lamp on a desk", size: "1024x1024" };

/** A request to edit an image. */
export const EDIT_REQUEST = {
  model: "auto",
  prompt: "Switch the lamp on",
  image: "https://example.com/lamp.png",
};

/** Generated images. */
export const IMAGE_ANSWER = {
  created: 1_795_262_400,
  data: [{ url: "https://gateway.example.com/files/blob_1?expires=1795266000&signature=c2ln" }],
  metadata: METADATA,
};

/** A request of embeddings. */
export const EMBEDDING_REQUEST = { model: "auto", input: ["A lamp on a desk", "Eine Lampe"] };

/** Vectors of texts. */
export const EMBEDDING_ANSWER = {
  object: "list",
  data: [
    { object: "embedding", index: 0, embedding: [0.6, 0.8] },
    { object: "embedding", index: 1, embedding: [0.8, 0.6] },
  ],
  model: "vectors-small",
  usage: { prompt_tokens: 8, total_tokens: 8 },
  metadata: METADATA,
};

/** The public catalog. */
export const MODEL_LIST = {
  success: true,
  data: {
    models: [{
      id: "fast-mini",
      name: "Fast Mini",
      provider: "openai",
      description: "Quick and cheap",
      modality: "text",
      endpoints: ["chat", "responses"],
      contextTokens: 400_000,
      maxOutputTokens: 128_000,
      featureTags: ["tools", "json"],
      industryPacks: [],
      sku: "text",
      tiers: ["standard"],
      status: "available",
    }],
  },
};

/** Prices of the tiers. */
export const PRICING = {
  currency: "credits",
  tiers: [{
    tier: "standard",
    name: "Standard",
    description: "All models",
    exchangeRate: { usd: "1", credits: "1000" },
  }],
  updatedAt: "2026-11-21T12:00:00.000Z",
};
