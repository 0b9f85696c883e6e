import { catalogue } from "../../messages/catalogue.ts";

/** What the check of the catalog says. */
export const checkMessages = catalogue({
  title: "Check of the catalog",
  intro: "Whether its models are priced, can be reached, and are still what is offered.",
  check: "Check now",
  hint:
    "Compares each price with the price list, and asks each upstream for its list of models, for ten seconds at most. No tokens are used, and nothing changes.",
  allGood: (count: number) =>
    count === 1 ? "The model is in order" : `All ${count} models are in order`,
  priceList: (name: string, version: string, days: number) =>
    `Price list ${name} ${version}, ${days} ${days === 1 ? "day" : "days"} old`,
  upstreams: "Upstreams",
  listed: "Models that it lists",
  found: "What was found",
  findings: {
    listed: "Answers",
    unlisted: "Has no list",
    "no credentials": "No credentials",
    refused: "Refuses the key",
    timeout: "Does not answer",
    failed: "Failed",
  },
  verdicts: {
    ok: "In order",
    unpriced: "Without a price",
    unreachable: "Out of reach",
    stale: "Out of date",
  },
  prices: {
    list: "List price",
    own: "Your own",
    differs: "Differs from the list",
    free: "Free",
    none: "None",
  },
}, {
  zh: {
    title: "检查目录",
    intro: "模型是否有价格、能否访问、是否仍在提供。",
    check: "立即检查",
    hint:
      "将每个价格与价目表比较，并向每个上游请求其模型列表，最多十秒。不消耗词元，也不作任何更改。",
    allGood: (count) => `${count} 个模型全部正常`,
    priceList: (name, version, days) => `价目表 ${name} ${version}，已有 ${days} 天`,
    upstreams: "上游",
    listed: "它列出的模型数",
    found: "检查结果",
    findings: {
      listed: "有应答",
      unlisted: "没有列表",
      "no credentials": "缺少凭证",
      refused: "拒绝密钥",
      timeout: "没有应答",
      failed: "失败",
    },
    verdicts: {
      ok: "正常",
      unpriced: "没有价格",
      unreachable: "无法访问",
      stale: "已过时",
    },
    prices: {
      list: "标价",
      own: "自定",
      differs: "与价目表不同",
      free: "免费",
      none: "无",
    },
  },
});
