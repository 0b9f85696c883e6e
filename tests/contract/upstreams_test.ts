import type { UpstreamConfig, UpstreamKind } from "../../gateway/domain/catalog.ts";
import { createUpstream } from "../../gateway/upstreams/factory.ts";
import { ANTHROPIC } from "../fixtures/upstreams/anthropic.ts";
import { BEDROCK } from "../fixtures/upstreams/bedrock.ts";
import { COHERE } from "../fixtures/upstreams/cohere.ts";
import { GOOGLE } from "../fixtures/upstreams/google.ts";
import { MISTRAL, OPENAI, OPENAI_UNSIGNED } from "../fixtures/upstreams/openai.ts";
import { upstreamContract } from "./upstream_contract.ts";

const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

const open =
  (kind: UpstreamKind, own: Partial<UpstreamConfig> = {}) =>
  (baseUrl: string, settings: Partial<UpstreamConfig>) =>
    createUpstream({
      id: "lab",
      kind,
      provider: "lab",
      baseUrl,
      apiKey: "sk-operator-0123456789",
      maxInFlight: 20,
      onDisconnect: "cancel",
      timeouts: { connectMs: 5_000, firstByteMs: 10_000, idleMs: 10_000 },
      ...own,
      ...settings,
    }, { clock, env: (name) => name.startsWith("LAB_") ? `${name}-0123456789` : undefined });

upstreamContract("openai-compatible", { wire: OPENAI, open: open("openai-compatible") });
upstreamContract("anthropic", {
  wire: ANTHROPIC,
  open: open("anthropic"),
  model: "claude-sonnet-4-5",
});
upstreamContract("google", { wire: GOOGLE, open: open("google"), model: "gemini-3-pro-preview" });
upstreamContract("google-vertex", {
  wire: GOOGLE,
  open: open("google-vertex"),
  model: "gemini-3-pro-preview",
});
upstreamContract("azure", { wire: OPENAI_UNSIGNED, open: open("azure"), model: "gpt-4.1" });
upstreamContract("mistral", {
  wire: MISTRAL,
  open: open("mistral"),
  model: "mistral-medium-latest",
});
upstreamContract("cohere", { wire: COHERE, open: open("cohere"), model: "command-a-03-2025" });
upstreamContract("amazon-bedrock, signed for", {
  wire: BEDROCK,
  open: open("amazon-bedrock", {
    apiKey: undefined,
    accessKeyIdEnv: "LAB_ID",
    secretAccessKeyEnv: "LAB_SECRET",
    region: "eu-central-1",
  }),
  model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
});
upstreamContract("amazon-bedrock", {
  wire: BEDROCK,
  open: open("amazon-bedrock", { region: "eu-central-1" }),
  model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
});
