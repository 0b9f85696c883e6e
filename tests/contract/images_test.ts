import type { UpstreamConfig, UpstreamKind } from "../../gateway/domain/catalog.ts";
import { createUpstream } from "../../gateway/upstreams/factory.ts";
import { BEDROCK_IMAGES, GOOGLE_IMAGES, OPENAI_IMAGES } from "../fixtures/upstreams/images.ts";
import { imageContract, type ImageSubject } from "./image_contract.ts";

const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

const open =
  (kind: UpstreamKind, own: Partial<UpstreamConfig> = {}): ImageSubject["open"] =>
  (baseUrl, settings, { fetchImage }) =>
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
    }, { clock, env: () => undefined, fetchImage });

imageContract("openai-compatible", {
  wire: OPENAI_IMAGES,
  open: open("openai-compatible"),
  model: "gpt-image-1",
});
imageContract("azure", { wire: OPENAI_IMAGES, open: open("azure"), model: "our-pictures" });
imageContract("google", {
  wire: GOOGLE_IMAGES,
  open: open("google"),
  model: "gemini-2.5-flash-image",
});
imageContract("google-vertex", {
  wire: GOOGLE_IMAGES,
  open: open("google-vertex"),
  model: "gemini-3-pro-image-preview",
});
imageContract("amazon-bedrock", {
  wire: BEDROCK_IMAGES,
  open: open("amazon-bedrock", { region: "eu-central-1" }),
  model: "amazon.nova-canvas-v1:0",
});
