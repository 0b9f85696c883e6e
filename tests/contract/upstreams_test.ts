import { ANTHROPIC } from "../fixtures/upstreams/anthropic.ts";
import { BEDROCK } from "../fixtures/upstreams/bedrock.ts";
import { COHERE } from "../fixtures/upstreams/cohere.ts";
import { GOOGLE } from "../fixtures/upstreams/google.ts";
import { MISTRAL, OPENAI, OPENAI_UNSIGNED } from "../fixtures/upstreams/openai.ts";
import { openingOf } from "./staged_case.ts";
import { upstreamContract } from "./upstream_contract.ts";

upstreamContract("openai", { wire: OPENAI_UNSIGNED, open: openingOf("openai") });
upstreamContract("openai-compatible", { wire: OPENAI, open: openingOf("openai-compatible") });
upstreamContract("anthropic", {
  wire: ANTHROPIC,
  open: openingOf("anthropic"),
  model: "claude-sonnet-4-5",
});
upstreamContract("google", {
  wire: GOOGLE,
  open: openingOf("google"),
  model: "gemini-3-pro-preview",
});
upstreamContract("google-vertex", {
  wire: GOOGLE,
  open: openingOf("google-vertex"),
  model: "gemini-3-pro-preview",
});
upstreamContract("azure", { wire: OPENAI_UNSIGNED, open: openingOf("azure"), model: "gpt-4.1" });
upstreamContract("mistral", {
  wire: MISTRAL,
  open: openingOf("mistral"),
  model: "mistral-medium-latest",
});
upstreamContract("cohere", { wire: COHERE, open: openingOf("cohere"), model: "command-a-03-2025" });
upstreamContract("amazon-bedrock, signed for", {
  wire: BEDROCK,
  open: openingOf("amazon-bedrock", {
    apiKey: undefined,
    accessKeyIdEnv: "LAB_ID",
    secretAccessKeyEnv: "LAB_SECRET",
    region: "eu-central-1",
  }),
  model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
});
upstreamContract("amazon-bedrock", {
  wire: BEDROCK,
  open: openingOf("amazon-bedrock", { region: "eu-central-1" }),
  model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
});
