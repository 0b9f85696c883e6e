import { BEDROCK_IMAGES, GOOGLE_IMAGES, OPENAI_IMAGES } from "../fixtures/upstreams/images.ts";
import { imageContract } from "./image_contract.ts";
import { openingOf } from "./staged_case.ts";

imageContract("openai", {
  wire: OPENAI_IMAGES,
  open: openingOf("openai"),
  model: "gpt-image-1",
});
imageContract("openai-compatible", {
  wire: OPENAI_IMAGES,
  open: openingOf("openai-compatible"),
  model: "gpt-image-1",
});
imageContract("azure", { wire: OPENAI_IMAGES, open: openingOf("azure"), model: "our-pictures" });
imageContract("google", {
  wire: GOOGLE_IMAGES,
  open: openingOf("google"),
  model: "gemini-2.5-flash-image",
});
imageContract("google-vertex", {
  wire: GOOGLE_IMAGES,
  open: openingOf("google-vertex"),
  model: "gemini-3-pro-image-preview",
});
imageContract("amazon-bedrock", {
  wire: BEDROCK_IMAGES,
  open: openingOf("amazon-bedrock", { region: "eu-central-1" }),
  model: "amazon.nova-canvas-v1:0",
});
