import { catalogue } from "../../messages/catalogue.ts";

/** What the pages of wallets say. */
export const walletMessages = catalogue({
  title: "Wallets",
  intro: "Prepaid credits. Every call is paid from the wallet of its key.",
  caption: "Wallets and their credits",
  count: (shown: number, all: number) =>
    shown === all ? `${all} ${all === 1 ? "wallet" : "wallets"}` : `${shown} of ${all} wallets`,
  id: "Wallet",
  tier: "Tier",
  available: "Available",
  held: "Held",
  spent: "Spent",
  credits: "Paid in",
  filterId: "Name contains",
  filterTier: "Tier",
  anyTier: "Any tier",
  none: "There is no wallet yet",
  noneHint: "Create one on the command line: svc wallets create NAME",
  noneFound: "No wallet matches",
  noneFoundHint: "Try a shorter name, or clear the filter.",
}, {
  zh: {
    title: "钱包",
    intro: "预付额度。每次调用都从其密钥所属的钱包中扣费。",
    caption: "钱包及其额度",
    count: (shown, all) => shown === all ? `共 ${all} 个钱包` : `${all} 个钱包中的 ${shown} 个`,
    id: "钱包",
    tier: "档位",
    available: "可用",
    held: "冻结",
    spent: "已用",
    credits: "累计充值",
    filterId: "名称包含",
    filterTier: "档位",
    anyTier: "全部档位",
    none: "还没有钱包",
    noneHint: "用命令行创建一个：svc wallets create 名称",
    noneFound: "没有符合条件的钱包",
    noneFoundHint: "请缩短名称，或清除筛选条件。",
  },
});
