import type { Model, Tier } from "../domain/catalog/catalog.ts";

/** Maximum quality of models in the tier `basic`. */
const BASIC_QUALITY = 0.7;

/**
 * Returns the tiers of a catalog without configured ones, low to high: `basic` has the smaller
 * models, `standard` has all, `premium` has all at a better rate.
 */
export function defaultTiers(models: readonly Pick<Model, "id" | "quality">[]): readonly Tier[] {
  const small = models.filter((model) => model.quality <= BASIC_QUALITY).map((model) => model.id);
  return [
    {
      id: "basic",
      creditsPerUsd: "1000",
      models: small.length > 0 ? small : "*",
      orchestration: "off",
      name: { en: "Basic", zh: "基础" },
      description: {
        en: "The smaller models, for everyday requests",
        zh: "较小的模型，适合日常请求",
      },
    },
    {
      id: "standard",
      creditsPerUsd: "1000",
      models: "*",
      orchestration: "auto",
      name: { en: "Standard", zh: "标准" },
      description: {
        en: "All models, and hard requests are split into tasks",
        zh: "全部模型，复杂请求可拆分为多个子任务",
      },
    },
    {
      id: "premium",
      creditsPerUsd: "900",
      models: "*",
      orchestration: "auto",
      name: { en: "Premium", zh: "高级" },
      description: {
        en: "All models at a better rate, for heavy use",
        zh: "全部模型，更优惠的费率，适合大量使用",
      },
    },
  ];
}
