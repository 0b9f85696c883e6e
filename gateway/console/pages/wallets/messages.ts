import { both, catalogue } from "../../messages/catalogue.ts";

/** Messages of the pages of wallets. */
export const walletMessages = catalogue({
  title: ["Wallets", "钱包"],
  intro: both`Prepaid credits. Every call is paid from the wallet of its key.
    预付额度。每次调用都从其密钥所属的钱包中扣费。`,
  caption: ["Wallets and their credits", "钱包及其额度"],
  count: (shown: number, all: number) => [
    shown === all ? `${all} ${all === 1 ? "wallet" : "wallets"}` : `${shown} of ${all} wallets`,
    shown === all ? `共 ${all} 个钱包` : `${all} 个钱包中的 ${shown} 个`,
  ],
  id: ["Wallet", "钱包"],
  tier: ["Tier", "档位"],
  available: ["Available", "可用"],
  held: ["Held", "冻结"],
  spent: ["Spent", "已用"],
  credits: ["Total credits", "累计充值"],
  filterId: ["Name contains", "名称包含"],
  anyTier: ["Any tier", "全部档位"],
  none: ["There is no wallet yet", "还没有钱包"],
  noneHint: [
    "Calls are paid from wallets: create the first one.",
    "调用由钱包付费：请先创建一个。",
  ],
  noneFound: ["No wallet matches", "没有符合条件的钱包"],
  noneFoundHint: ["Try a shorter name, or clear the filter.", "请缩短名称，或清除筛选条件。"],
  low: ["low", "偏低"],
  closed: ["closed", "已关闭"],
  waiting: ["Waiting corrections", "待批准的更正"],
  corrections: {
    debit: ["Debit", "扣减"],
    adjust: ["Adjust", "调整"],
    tier: ["Change tier", "变更档位"],
    close: ["Close", "关闭"],
  },
  lowOnly: ["Low balance only", "仅余额偏低"],
  balance: ["Balance", "余额"],
  anyBalance: ["Any balance", "全部余额"],
  new: ["New wallet", "新建钱包"],
  newIntro: both`Prepaid credits. Keys belong to a wallet, and its tier applies to them.
    预付额度账户。密钥建立在钱包上，并适用其档位。`,
  walletId: ["Name", "名称"],
  walletIdHint:
    both`1 to 64 letters, digits, dots, dashes and underscores. It cannot be changed later.
    1 至 64 个字母、数字、点、短横线和下划线；以后不能更改。`,
  tierHint: both`Sets the permitted models and the credits per dollar of list price.
    决定可用的模型，以及一美元标价折合多少点。`,
  firstCredits: ["Initial credits", "首次充值"],
  firstCreditsHint: ["Empty: none yet.", "留空：暂不充值。"],
  openIt: ["Create the wallet", "创建钱包"],
  opened: (id: string) => [`Wallet "${id}" was created.`, `钱包“${id}”已创建。`],
  credit: ["Add credits", "充值"],
  creditTitle: (id: string) => [`Add credits to ${id}`, `为 ${id} 充值`],
  creditIntro: both`Added credits can be spent; only a correction takes them out again.
    充入的额度用于调用；只能通过更正扣回。`,
  amount: ["Credits", "点数"],
  amountHint: [
    "For example 500 or 12.5; at most six decimal places.",
    "如 500 或 12.5；最多六位小数。",
  ],
  note: ["Note", "备注"],
  noteHint: both`Shown in the statement, for example an invoice number. At most 500 characters.
    显示在账单中，例如发票号；最多 500 个字符。`,
  check: ["Check", "核对"],
  confirmCredit: (
    amount: string,
    id: string,
  ) => [`Add ${amount} credits to ${id}?`, `为 ${id} 充入 ${amount} 点？`],
  willBe: (now: string, after: string) =>
    both`It has ${now} credits available, and ${after} afterwards.
    当前可用 ${now} 点，充值后为 ${after} 点。`,
  noted: (note: string) => [`Note: ${note}`, `备注：${note}`],
  payIn: (amount: string) => [`Add ${amount} credits`, `充入 ${amount} 点`],
  credited: (
    amount: string,
    id: string,
  ) => [`${amount} credits were added to wallet "${id}".`, `已为钱包“${id}”充入 ${amount} 点。`],
  usedUp:
    both`This form was already used for another amount or wallet: nothing was added now. Check the statement; to add this amount too, send the form again.
    此表单已用于另一笔充值（金额或钱包不同）：本次未充值。请先核对账单；若仍要充入，请再次提交。`,
  notAmount:
    both`Enter an amount of credits above zero, such as 12.5, with at most six decimal places
    请输入大于零的点数，如 12.5，最多六位小数`,
  writtenOff: (
    amount: string,
  ) => [`${amount} more was used and written off`, `另有 ${amount} 点用量已核销`],
  newKey: ["New key", "新建密钥"],
  keys: ["Its keys", "其密钥"],
  lowMark: ["Low-balance mark", "余额提醒线"],
  lowMarkSet: (below: string) =>
    both`The balance counts as low at ${below} credits or less.
    可用额度不高于 ${below} 点时视为偏低。`,
  lowMarkPart: (below: string) =>
    both`The balance counts as low at a tenth of the total credits or less: ${below} credits.
    可用额度不高于累计充值的十分之一（${below} 点）时视为偏低。`,
  lowBelow: ["Low at or below", "提醒线"],
  lowBelowHint: both`In credits. Empty: a tenth of the total credits.
    单位为点。留空：累计充值的十分之一。`,
  lowSave: ["Set the mark", "设置提醒线"],
  lowSaved: ["The low-balance mark is set.", "余额提醒线已设置。"],
  isLow: both`The balance is low: add credits before calls are refused.
    余额偏低：请及时充值，以免调用被拒绝。`,
  holds: ["Open holds", "未结冻结"],
  holdsHint: both`Reserved for requests in flight; the rest returns when they end.
    为进行中的请求预留；结束后退回剩余部分。`,
  noHolds: ["Nothing is held", "没有冻结"],
  noHoldsHint: ["Requests in flight appear here.", "进行中的请求会显示在这里。"],
  moreHolds: ["and more", "以及更多"],
  hold: ["Hold", "冻结编号"],
  since: ["Since", "开始时间"],
  key: ["Key", "密钥"],
  model: ["Model", "模型"],
  amountHeld: ["Held", "冻结额"],
  statement: ["Statement", "账单"],
  statementHint:
    both`Newest first; a call's hold and settlement share one line. The available balance after a line is shown only in the unfiltered list.
    最新在前；一次调用的冻结与结算合为一行。仅在显示全部记录时给出其后的可用余额。`,
  ofHeld: (held: string) => [`of ${held} held`, `冻结 ${held}`],
  csv: ["Download as CSV", "下载 CSV"],
  time: ["Time", "时间"],
  kind: ["Kind", "类型"],
  kinds: {
    open: ["opened", "开户"],
    credit: ["credited", "充值"],
    hold: ["held", "冻结"],
    progress: ["checkpoint", "检查点"],
    settle: ["settled", "结算"],
    void: ["returned", "退回"],
    expire: ["expired", "过期"],
    debit: ["debited", "扣减"],
    adjust: ["adjusted", "调整"],
    tier: ["tier changed", "变更档位"],
    close: ["closed", "关闭"],
    move: ["key moved here", "密钥转入"],
    refund: ["refunded", "退款"],
  },
  anyKind: ["Any kind", "全部类型"],
  from: ["From, such as 7d or 2026-11-01", "起，如 7d 或 2026-11-01"],
  until: ["Until, such as 1h or 2026-11-30", "止，如 1h 或 2026-11-30"],
  change: ["Change", "变动"],
  after: ["Available after", "之后可用"],
  remark: ["Remark", "说明"],
  recovered: ["at its last checkpoint: gateway restarted", "按最后检查点：网关曾重启"],
  noEntries: ["No entries in this time", "此时段内没有条目"],
  noEntriesHint: ["Choose another time or kind.", "请选择其他时间或类型。"],
});
