import { both, catalogue } from "../../messages/catalogue.ts";

/** Messages of the check of the catalog. */
export const checkMessages = catalogue({
  title: ["Check of the catalog", "检查目录"],
  intro: both`Checks that models have prices, can be reached and are still offered.
    模型是否有价格、能否访问、是否仍在提供。`,
  check: ["Check now", "立即检查"],
  hint:
    both`Compares each price with the price list, and asks each upstream for its list of models, for ten seconds at most. No tokens are used, and nothing changes.
    将每个价格与价目表比较，并向每个上游请求其模型列表，最多十秒。不消耗词元，也不作任何更改。`,
  allGood: (count: number) => [
    count === 1 ? "The model has no problems" : `All ${count} models have no problems`,
    `${count} 个模型全部正常`,
  ],
  priceList: (name: string, version: string, days: number) =>
    both`Price list ${name} ${version}, ${days} ${days === 1 ? "day" : "days"} old
    价目表 ${name} ${version}，已有 ${days} 天`,
  upstreams: ["Upstreams", "上游"],
  listed: ["Listed models", "列出的模型数"],
  findingsTitle: ["Findings", "检查结果"],
  findings: {
    listed: ["Answers", "有应答"],
    unlisted: ["Has no list", "没有列表"],
    "no credentials": ["No credentials", "缺少凭证"],
    refused: ["Refuses the key", "拒绝密钥"],
    timeout: ["Does not answer", "没有应答"],
    failed: ["Failed", "失败"],
  },
  verdicts: {
    ok: ["No problem", "正常"],
    unpriced: ["Without a price", "没有价格"],
    unreachable: ["Unreachable", "无法访问"],
    stale: ["Out of date", "已过时"],
  },
  prices: {
    list: ["List price", "标价"],
    own: ["Custom", "自定"],
    differs: ["Differs from the list", "与价目表不同"],
    free: ["Free", "免费"],
    none: ["None", "无"],
  },
});
