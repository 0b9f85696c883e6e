import type { Model, Tier, UpstreamConfig } from "../../gateway/domain/catalog/catalog.ts";
import { freePort } from "../fixtures/free_port.ts";
import type { TestService } from "../fixtures/service.ts";
import type { Visit } from "./visit.ts";

/** Pages of the catalog, its upstreams and the playground, over a pool as teams have it. */
export const CATALOG_VISITS: readonly Visit[] = [
  { name: "catalog", path: "/catalog", prepare: manyModels },
  { name: "catalog_filtered", path: "/catalog?upstream=acme-eu&sort=-output" },
  { name: "model", path: "/catalog/model?id=acme-large" },
  { name: "model_edit", path: "/catalog/model/edit?id=acme-large" },
  { name: "tiers", path: "/catalog/tiers" },
  { name: "tier_edit", path: "/catalog/tier/edit?id=standard" },
  { name: "catalog_check", path: "/catalog/check" },
  { name: "catalog_json", path: "/catalog/json" },
  { name: "catalog_history", path: "/catalog/history" },
  { name: "catalog_version", path: "/catalog/version?number=4&since=1" },
  { name: "catalog_rollback", path: "/catalog/rollback?number=3" },
  { name: "upstreams", path: "/upstreams" },
  { name: "upstream", path: "/upstreams/upstream?id=acme-eu" },
  { name: "upstream_edit", path: "/upstreams/upstream/edit?id=acme-eu" },
  { name: "playground", path: "/playground" },
  { name: "playground_image", path: "/playground?kind=images" },
];

const SIZES = [
  ["nano", "0.05", "0.40", 0.32, 64_000],
  ["mini", "0.25", "2.00", 0.55, 400_000],
  ["medium", "1.10", "4.40", 0.71, 200_000],
  ["large", "3.00", "15.00", 0.86, 1_000_000],
  ["vision", "2.50", "10.00", 0.78, 128_000],
  ["reasoning", "12.00", "48.00", 0.95, 200_000],
] as const;

/** Four versions of a catalog with two more upstreams, one of which nothing answers at. */
export async function manyModels(service: TestService): Promise<void> {
  const { catalogs } = service.running.stores;
  const apply = async (part: Record<string, unknown>, note: string) => {
    const { version: _, updatedAtMs: __, ...content } = catalogs.current();
    await service.admin("POST", "/catalog/apply", { content: { ...content, ...part }, note });
  };
  const { upstreams, models, tiers } = catalogs.current();
  const [simulator] = upstreams;
  if (simulator === undefined) return;
  const port = freePort();
  const dead: UpstreamConfig = {
    ...simulator,
    id: "acme-eu",
    kind: "openai-compatible",
    provider: "Acme",
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: "not-shown-again",
    maxInFlight: 40,
  };
  const keyless: UpstreamConfig = {
    ...dead,
    id: "globex",
    provider: "globex",
    apiKey: undefined,
    apiKeyEnv: "GLOBEX_API_KEY",
  };
  const acme = SIZES.map((size) => modelOf("acme", "acme-eu", size));
  const globex = SIZES.map((size) => modelOf("globex", "globex", size));
  const all = [...models, ...acme, ...globex];
  await apply(
    { upstreams: [...upstreams, dead, keyless], models: all },
    "Acme and Globex on trial",
  );
  await apply({ models: all.map(cheaper) }, "Acme's prices of November");
  const research: Tier = {
    ...tiers.at(-1) ?? failTier(),
    id: "research",
    creditsPerUsd: "900",
    name: { en: "Research", zh: "科研" },
  };
  const fewer = catalogs.current().models.filter(({ id }) => id !== "globex-nano");
  await apply({ tiers: [...tiers, research], models: fewer }, "");
  await failOften(service, port);
}

/** Has one upstream ask for patience, and then be gone. */
async function failOften(service: TestService, port: number): Promise<void> {
  const { key } = await service.newKey({ policy: { models: ["acme-large"] } });
  const headers = { "retry-after": "240" };
  const refusing = Deno.serve(
    { hostname: "127.0.0.1", port, onListen: () => {} },
    () => new Response("{}", { status: 429, headers }),
  );
  const answer = await service.chat({ messages: [{ role: "user", content: "Hello" }] }, { key });
  await answer.body?.cancel();
  await refusing.shutdown();
}

function cheaper(model: Model): Model {
  if (model.upstream !== "acme-eu") return model;
  const price = {
    ...model.price,
    outputPerMTok: (Number(model.price.outputPerMTok) * 0.9).toFixed(2),
  };
  return { ...model, price, featureTags: [...model.featureTags, "json"] };
}

function failTier(): never {
  throw new Error("The catalog has no tier");
}

function modelOf(
  name: string,
  upstream: string,
  [size, inputPerMTok, outputPerMTok, quality, contextTokens]: typeof SIZES[number],
): Model {
  return {
    id: `${name}-${size}`,
    name: `${name} ${size}`,
    upstream,
    upstreamModel: `${name}-${size}-2026-09`,
    endpoints: ["chat", "responses"],
    quality,
    contextTokens,
    maxOutputTokens: 32_000,
    featureTags: size === "vision" ? ["tools", "vision"] : ["tools"],
    industryPacks: [],
    sku: "text",
    price: { inputPerMTok, outputPerMTok, cachedInputPerMTok: "0.03", currency: "USD" },
    description: {
      en: `Text model of ${name}, size ${size}`,
      zh: `${name} 的文本模型，规格 ${size}`,
    },
    disabled: size === "nano",
  };
}
