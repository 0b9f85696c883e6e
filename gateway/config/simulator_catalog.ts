import type { CatalogContent, Model, UpstreamConfig } from "../domain/catalog/catalog.ts";
import { defaultTiers } from "./default_tiers.ts";

const UPSTREAM: UpstreamConfig = {
  id: "sim",
  kind: "simulator",
  provider: "simulator",
  maxInFlight: 1_000,
  onDisconnect: "cancel",
  timeouts: { connectMs: 5_000, firstByteMs: 300_000, idleMs: 60_000 },
};

type Sketch =
  & Pick<Model, "id" | "name" | "quality" | "featureTags" | "price" | "description">
  & Partial<Model>;

/** Returns a simulated model; members that are missing are those of a text model. */
function simulated(sketch: Sketch): Model {
  return {
    upstream: UPSTREAM.id,
    upstreamModel: sketch.id.replace("svc/", ""),
    endpoints: ["chat", "responses"],
    contextTokens: 128_000,
    maxOutputTokens: 8_192,
    industryPacks: [],
    sku: "text",
    disabled: false,
    ...sketch,
  };
}

function dollars(inputPerMTok: string, outputPerMTok: string): Model["price"] {
  return { inputPerMTok, outputPerMTok, currency: "USD" };
}

const MODELS: readonly Model[] = [
  simulated({
    id: "svc/sim-small",
    name: "Simulator, small",
    quality: 0.45,
    featureTags: ["tools", "json"],
    price: dollars("0.10", "0.40"),
    description: { en: "Simulated: small, quick and cheap", zh: "模拟模型：小巧、快速、便宜" },
  }),
  simulated({
    id: "svc/sim-vision",
    name: "Simulator, vision",
    quality: 0.65,
    featureTags: ["tools", "json", "vision"],
    price: dollars("0.50", "2.00"),
    description: { en: "Simulated: reads images too", zh: "模拟模型：也能读取图像" },
  }),
  simulated({
    id: "svc/sim-large",
    name: "Simulator, large",
    quality: 0.9,
    featureTags: ["tools", "json", "vision", "reasoning"],
    contextTokens: 400_000,
    maxOutputTokens: 32_768,
    price: dollars("2.50", "10.00"),
    description: { en: "Simulated: large, for hard requests", zh: "模拟模型：大型，适合困难请求" },
  }),
  simulated({
    id: "svc/sim-image",
    name: "Simulator, images",
    endpoints: ["images.generations", "images.edits"],
    quality: 0.5,
    featureTags: [],
    sku: "image",
    price: { ...dollars("0", "0"), perImage: "0.02" },
    description: { en: "Simulated: draws and edits images", zh: "模拟模型：绘制和编辑图像" },
  }),
  simulated({
    id: "svc/sim-embed",
    name: "Simulator, embeddings",
    endpoints: ["embeddings"],
    quality: 0.5,
    contextTokens: 8_192,
    maxOutputTokens: undefined,
    featureTags: ["dimensions", "token_ids"],
    sku: "embedding",
    price: dollars("0.02", "0"),
    description: { en: "Simulated: embeds texts", zh: "模拟模型：将文本转换为向量" },
  }),
];

/** Returns simulated models that differ in quality and price, so that routing is visible. */
export function simulatorCatalog(): CatalogContent {
  return { upstreams: [UPSTREAM], models: MODELS, tiers: defaultTiers(MODELS) };
}
